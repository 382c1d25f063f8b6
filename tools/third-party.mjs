// The licence texts of the packages that a bundle contains, told from what the bundler read.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folderOf = (input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];

function licenceText(folder) {
  const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying)(\.|$|-)/i.test(name));
  return file === undefined ? undefined : readFileSync(join(folder, file), 'utf8').trim();
}

/** One section a package, sorted by name; a package without a licence file is named with the licence it declares. */
export function thirdPartyNotices(root, inputs) {
  const folders = [...new Set(inputs.map(folderOf).filter((folder) => folder !== undefined))];
  const sections = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    if (!license) throw new Error(`${name} ${version} declares no licence; find out before bundling it`);
    return `${name} ${version} (${license})\n\n${licenceText(join(root, folder)) ?? `The package brings no licence file; it declares ${license}.`}\n`;
  });
  const rule = `\n${'-'.repeat(80)}\n\n`;
  return `The files beside this one contain code of these packages.\n${rule}${sections.sort().join(rule)}`;
}
