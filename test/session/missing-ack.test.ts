import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { SyncStatus } from '../../src/protocol/sync.ts';
import { missingText } from '../../src/session/missing-ack.ts';
import { url } from '../protocol/world.ts';

const page = readFileSync(new URL('../../docs/library.md', import.meta.url), 'utf8');
const source = readFileSync(new URL('../../src/session/missing-ack.ts', import.meta.url), 'utf8');

describe('What a missing acknowledgement waits for', () => {
  it.each<SyncStatus>(['not requested', 'not sent', 'withheld', 'sent'])('stands in docs/library.md: %s', (status) => {
    const [reason = ''] = missingText({ node: 'n', typeUrl: url('CDS'), status, streams: [] })
      .replace('n CDS: ', '')
      .split(' (');
    expect(page).toContain(`\`${reason}\``);
  });

  it('stands there, too, where the proxy has gone', () => {
    expect(page).toContain(`\`${missingText({ node: 'n', status: 'gone' }).replace('n: ', '')}\``);
  });

  it('stands there with each cause that lies in another type', () => {
    const causes = [...source.matchAll(/['`]((?:Envoy|\$\{short\}) [^'`]*)['`]/g)].map(([, text = '']) =>
      text
        .replace(/\$\{resourceType\([^}]*\}/, 'CDS')
        .replace('${short}', 'EDS')
        .replace(/(: )?\$\{.*/, ''),
    );
    expect(causes).toHaveLength(6);
    for (const cause of causes) expect(page).toContain(`\`${cause}`);
  });
});
