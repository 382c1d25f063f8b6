import { istiodQuirks, specQuirks } from '../../src/protocol/quirks.ts';
import { resourceType } from '../../src/protocol/resource-type.ts';
import type { Response } from '../../src/protocol/response.ts';
import type { SnapshotChange } from '../../src/protocol/snapshot.ts';
import { isWildcard, wants } from '../../src/protocol/subscription.ts';
import { released, withheldOf, type WithholdRule } from '../../src/protocol/withhold-rule.ts';
import type { Variant } from '../../src/protocol/request.ts';
import { ModelClient } from './model-client.ts';
import { contentOf, node, resource, saysNothingIsThere, url, World, type Short } from './world.ts';

/** Numbers that look random and are the same in each run (mulberry32). */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const types: readonly Short[] = ['CDS', 'EDS', 'LDS', 'RDS'];
const names = ['a', 'b', 'c', 'd', 'e'];

/**
 * A client and a server that do as chance has it: publishes, requests, ACKs and NACKs in any order the protocol allows, responses on their way for a
 * while, rules set and lifted. Each response is checked as it is sent; `findings` says what was wrong.
 */
export class RandomWalk {
  readonly findings: string[] = [];
  readonly world = new World({ CDS: { a: '0', b: '0' }, EDS: { a: '0' }, LDS: { a: '0' }, RDS: {} });
  readonly client: ModelClient;
  private readonly below: (limit: number) => number;
  private readonly onTheirWay: Response[] = [];
  private readonly nonces = new Set<string>();
  /** Per type what was sent last of each name, whatever became of it. */
  private readonly sent = new Map<string, Map<string, string>>();
  private readonly asked = new Set<Short>();
  private rules: readonly WithholdRule[] = [];
  private text = 0;
  /** Types of which something was owed before the last publish: what was changed and changed back is sent all the same. */
  private owed: ReadonlySet<string> = new Set();

  constructor(variant: Variant, seed: number) {
    this.client = new ModelClient(variant, this.world, { quirks: seed % 2 ? istiodQuirks : specQuirks });
    this.below = randomNumbers(seed);
  }

  /** Something happens. */
  step(): void {
    const moves = [
      () => this.publish(),
      () => this.publish(),
      () => this.request(),
      () => this.request(),
      () => this.answer(),
      () => this.answer(),
      () => this.changeRules(),
    ];
    moves[this.below(moves.length)]?.();
  }

  /** Everything is released, changed once more (what was refused is sent again only then), accepted; then some of it goes. */
  settle(): void {
    this.rules = [];
    this.send(this.client.setRules(this.rules));
    this.push({ set: types.flatMap((type) => names.map((name) => resource(type, name, `final ${this.text++}`))) });
    // istiod ignores what a NACK says of the subscription: a client that wants more has to ask again.
    for (const type of this.asked) this.send(this.client.ask(type));
    this.acceptAll();
    this.push({ remove: new Map(types.map((type) => [url(type), names.filter(() => this.below(2))])) });
    this.acceptAll();
    for (const type of this.asked) this.compare(type);
  }

  private push(change: SnapshotChange): void {
    this.world.change(change);
    this.send(this.client.publish());
  }

  private acceptAll(): void {
    while (this.onTheirWay.length > 0) this.answer('ack');
  }

  private publish(): void {
    this.owed = new Set([...this.client.state.watches].filter(([, watch]) => watch.debt).map(([typeUrl]) => typeUrl));
    const type = this.pick(types);
    const name = this.pick(names);
    if (this.below(3) === 0) this.world.change({ remove: new Map([[url(type), [name]]]) });
    else if (this.below(4) === 0)
      this.world.replace({ [type]: Object.fromEntries(names.filter(() => this.below(2)).map((one) => [one, `${this.below(3)}`])) });
    else this.world.change({ set: [resource(type, name, `${this.text++}`)] });
    if (this.client.variant === 'sotw') this.forgetGone(type);
    this.send(this.client.publish());
  }

  /** SotW says nothing of what is gone; that it comes back, even as it was, is news. */
  private forgetGone(type: Short): void {
    const sent = this.sent.get(url(type));
    const served = this.world.snapshot.types.get(url(type))?.resources;
    if (!resourceType(url(type)).fullState) for (const name of sent?.keys() ?? []) if (!served?.has(name)) sent?.delete(name);
  }

  private request(): void {
    const type = this.pick(types);
    const name = this.pick(names);
    const wildcard = type === 'CDS' || type === 'LDS';
    if (!this.asked.has(type)) {
      this.asked.add(type);
      return this.send(this.client.ask(type, wildcard && this.below(4) > 0 ? [] : [name]));
    }
    if (this.client.subscribedNames(type).size === 0) return wildcard ? undefined : this.send(this.client.ask(type, [name]));
    if (this.below(2) || this.client.subscribedNames(type).size === 1) this.send(this.client.ask(type, [name]));
    else if (this.client.subscribedNames(type).has(name)) {
      const sent = this.client.giveUp(type, [name]);
      // A stale request is not heard: then the server goes on believing that the client wants it.
      if (!this.client.state.watches.get(url(type))?.subscription.names.has(name)) this.sent.get(url(type))?.delete(name);
      this.send(sent);
    }
  }

  private answer(only?: 'ack'): void {
    const response = this.onTheirWay.shift();
    if (!response) return;
    this.send(!only && this.below(4) === 0 ? this.client.nack(response) : this.client.ack(response));
  }

  private changeRules(): void {
    const typeUrl = url(this.pick(types));
    const rule: WithholdRule = { typeUrl, ...(this.below(2) ? { names: names.filter(() => this.below(2)) } : {}) };
    this.rules = this.below(2)
      ? [...this.rules, rule]
      : released(this.rules, { ...rule, ...(this.below(2) ? { node: { id: node.id } } : {}) });
    this.send(this.client.setRules(this.rules));
  }

  private send(responses: readonly Response[]): void {
    for (const response of responses) this.check(response);
    this.onTheirWay.push(...responses);
  }

  private check(response: Response): void {
    const type = resourceType(response.typeUrl);
    const before = this.sent.get(response.typeUrl);
    const first = before === undefined;
    const now = this.noteSent(response);
    const found = (what: string): number =>
      this.findings.push(`${type.short} ${contentOf(response).join(' ')} (${response.cause}): ${what}`);
    if (this.nonces.has(response.nonce)) found('a nonce twice');
    this.nonces.add(response.nonce);
    const { extent, holds } = withheldOf(this.rules, response.typeUrl, node);
    if (extent === 'everything') found('the type is withheld');
    const subscription = this.client.state.watches.get(response.typeUrl)?.subscription;
    const state = this.world.snapshot.types.get(response.typeUrl);
    for (const nothing of response.resources.filter(saysNothingIsThere))
      if (state?.resources.has(nothing.name) || holds(nothing.name)) found(`${nothing.name} is not empty`);
    for (const { name, value } of response.resources.filter((one) => !saysNothingIsThere(one))) {
      const text = Buffer.from(value).toString();
      if (subscription && !wants(subscription, name)) found(`${name} is not wanted`);
      if (holds(name) && before?.get(name) !== text) found(`${name} is withheld`);
      if (!holds(name) && Buffer.from(state?.resources.get(name)?.value ?? '').toString() !== text) found(`${name} is not the newest`);
    }
    for (const name of response.removed) if (state?.resources.has(name) || holds(name)) found(`${name} is not gone`);
    if (response.cause === 'push' && !first && !this.owed.has(response.typeUrl) && sameMap(before, now)) found('nothing changed');
    if (type.fullState && subscription && isWildcard(subscription) && response.variant === 'sotw') this.checkWhole(response, found, holds);
  }

  private checkWhole(response: Response, found: (what: string) => number, holds: (name: string) => boolean): void {
    const there = new Set(response.resources.map(({ name }) => name));
    for (const name of this.world.snapshot.types.get(response.typeUrl)?.resources.keys() ?? [])
      if (!there.has(name) && !holds(name)) found(`${name} is missing from the whole`);
  }

  private noteSent(response: Response): ReadonlyMap<string, string> {
    const whole = response.variant === 'sotw' && resourceType(response.typeUrl).fullState;
    const now = new Map(whole ? [] : this.sent.get(response.typeUrl));
    for (const { name, value } of response.resources.filter((one) => !saysNothingIsThere(one)))
      now.set(name, Buffer.from(value).toString());
    for (const name of response.removed) now.delete(name);
    this.sent.set(response.typeUrl, now);
    return now;
  }

  /** What the client holds against what it ought to: a SotW client keeps what is gone of the types that are not sent whole. */
  private compare(type: Short): void {
    const asked = this.client.subscribedNames(type);
    const served = [...(this.world.snapshot.types.get(url(type))?.resources.values() ?? [])];
    const wanted = served
      .filter(({ name }) => asked.size === 0 || asked.has(name))
      .map(({ name, value }) => `${name}=${Buffer.from(value).toString()}`);
    const silent = this.client.variant === 'sotw' && !resourceType(url(type)).fullState;
    const held = this.client.holds(type).filter((text) => !silent || served.some(({ name }) => text.startsWith(`${name}=`)));
    if (held.join() !== wanted.sort().join())
      this.findings.push(`${type}: the client holds ${held.join(' ')} and ought to hold ${wanted.join(' ')}`);
  }

  private pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

function sameMap(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value);
}
