import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const checkout = join(import.meta.dirname, '..');
/** Inside the package, where the program finds its data. */
const folder = join(checkout, 'node_modules/.cache', `command-${process.pid}`);

/** What the build makes of the command; JavaScript, for the build runs before there is anything else. */
interface Bundling {
  bundleCommand(root: string, bin: string): Promise<readonly string[]>;
}

/** Path of the command of this checkout as it is now, bundled as it is shipped, whatever dist/ holds. */
export async function bundledCommand(): Promise<string> {
  mkdirSync(join(folder, 'lib'), { recursive: true });
  const script: string = join(checkout, 'tools/bundle.mjs');
  const { bundleCommand } = (await import(script)) as Bundling;
  await bundleCommand(checkout, folder);
  return join(folder, 'fake-istiod.js');
}

export function removeBundledCommand(): void {
  rmSync(folder, { recursive: true, force: true });
}
