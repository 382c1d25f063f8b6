import { describe, expect, it } from 'vitest';
import { TypeUrl } from '../../src/protocol/resource-type.ts';
import { answerOf, nodesIn } from '../../src/testing/type-answer.ts';
import { Witness } from './witness.ts';

const answer = ({ timeline }: Witness, node = 'a') => answerOf(timeline.events, TypeUrl.cluster, node);

describe('What a node said of a type', () => {
  it.each<[string, Witness, unknown]>([
    ['nothing, if it never asked', new Witness().asked('LDS'), { kind: 'not asked for' }],
    ['nothing, if nothing was sent', new Witness().asked('CDS'), { kind: 'unsent' }],
    ['nothing, if it is withheld', new Witness().asked('CDS').withheld('CDS'), { kind: 'withheld' }],
    ['nothing yet', new Witness().asked('CDS').sent('CDS', '1'), { kind: 'sent' }],
    ['yes', new Witness().asked('CDS').sent('CDS', '1').acked('CDS', '1'), { kind: 'acked' }],
    ['no', new Witness().asked('CDS').sent('CDS', '1').nacked('CDS', '1', 'bad'), { kind: 'nacked', text: 'bad' }],
    ['nothing of the newest', new Witness().sent('CDS', '1').acked('CDS', '1').sent('CDS', '2'), { kind: 'sent' }],
    ['nothing of the newest by a late answer', new Witness().sent('CDS', '1').sent('CDS', '2').acked('CDS', '1'), { kind: 'sent' }],
    ['nothing of what is withheld since', new Witness().sent('CDS', '1').acked('CDS', '1').withheld('CDS'), { kind: 'withheld' }],
    ['nothing of what was dropped', new Witness().sent('CDS', '1').acked('CDS', '1').dropped('CDS'), { kind: 'sent' }],
    ['yes, after a no', new Witness().sent('CDS', '1').nacked('CDS', '1', 'bad').sent('CDS', '2').acked('CDS', '2'), { kind: 'acked' }],
  ])('is %s', (_, witness, expected) => {
    expect(answer(witness)).toEqual(expected);
  });

  it('counts only on the stream of the response: a push has the same nonce everywhere', () => {
    const witness = new Witness().sent('CDS', '1', { stream: 1 }).sent('CDS', '1', { stream: 2 }).acked('CDS', '1', { stream: 1 });
    expect(answer(witness)).toEqual({ kind: 'sent' });
    expect(answer(witness.acked('CDS', '1', { stream: 2 }))).toEqual({ kind: 'acked' });
  });

  it('is not what another node says', () => {
    const witness = new Witness().sent('CDS', '1').sent('CDS', '1', { node: 'b', stream: 2 }).acked('CDS', '1', { node: 'b', stream: 2 });
    expect([answer(witness), answer(witness, 'b')]).toEqual([{ kind: 'sent' }, { kind: 'acked' }]);
  });
});

describe('The nodes of a fake istiod', () => {
  it('are those with an open stream, and all that were there once everyone has gone', () => {
    const witness = new Witness().asked('CDS').asked('CDS', { node: 'b', stream: 2 });
    expect(nodesIn(witness.timeline.events)).toEqual(['a', 'b']);
    witness.closed(1);
    expect(nodesIn(witness.timeline.events)).toEqual(['b']);
    witness.closed(2, 'b');
    expect(nodesIn(witness.timeline.events)).toEqual(['a', 'b']);
  });
});
