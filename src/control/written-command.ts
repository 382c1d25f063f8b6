import { resourceType } from '../protocol/resource-type.ts';
import type { StreamSort } from '../protocol/stream-matcher.ts';
import type { WithholdRule } from '../protocol/withhold-rule.ts';
import type { AuthWish } from '../auth/policy.ts';
import type { RuleCommand } from '../session/rule.ts';

/** JSON without the members that say nothing. */
type Written = Readonly<Record<string, unknown>>;

/** A command in the words of a scenario, which `POST /commands` and `PUT /rules/{id}` take back. */
export function writtenCommand(command: RuleCommand): Written {
  switch (command.kind) {
    case 'withhold':
      return { withhold: single(command.rules.map(writtenRule)) };
    case 'delay':
      return { delay: said({ type: typeWord(command.typeUrl), by: duration(command.delayMs), ...streamsWords(command.streams) }) };
    case 'drop':
      return { drop: said({ type: typeWord(command.typeUrl), times: command.count, ...streamsWords(command.streams) }) };
    case 'refuse': {
      const { code, message } = command.status;
      return { refuse: said({ code, message: message || undefined, times: command.count, ...streamsWords(command.streams) }) };
    }
    case 'gate': {
      const narrowed = said({ closed_for: command.tries, caller: command.caller });
      return { gates: { [command.service]: Object.keys(narrowed).length > 0 ? narrowed : command.state } };
    }
    case 'rate-limit':
      return { rate_limit: command.perSecond ?? 'off' };
    case 'auth':
      return { auth: command.wish === 'off' ? 'off' : writtenAuth(command.wish) };
    case 'tls':
      return { tls: command.preset };
    case 'expire-certificate':
      return { expire: { certificate: duration(command.afterMs) } };
    case 'stop-server':
      return { stop: 'server' };
    case 'silence-server':
      return { silence: 'server' };
    case 'set-ready':
      return { ready: command.ready };
  }
}

function said(written: Written): Written {
  return Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined));
}

function single<T>(list: readonly T[]): T | readonly T[] {
  const [only] = list;
  return list.length === 1 && only !== undefined ? only : list;
}

/** A type of the table by its short name, any other by its type URL. */
function typeWord(typeUrl: string): string {
  const { short, key } = resourceType(typeUrl);
  return key === typeUrl ? typeUrl : short;
}

function duration(ms: number): string {
  return ms > 0 && ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}

function streamsWords(streams: StreamSort | undefined): Written {
  return { node: streams?.node, variant: streams?.variant };
}

function writtenRule({ typeUrl, names, node }: WithholdRule): unknown {
  return names || node ? said({ type: typeWord(typeUrl), names, node }) : typeWord(typeUrl);
}

function writtenAuth(wish: AuthWish): Written {
  const { audiences, issuer, trustDomains, keys, clusters, identityCheck, clientCertificate, texts, clockSkewMs } = wish;
  return said({
    audiences,
    issuer,
    trust_domain: trustDomains && single(trustDomains),
    // Keys that somebody gave the library have no word in a scenario.
    keys: keys === 'unsigned-ok' ? keys : undefined,
    clusters,
    identity_check: identityCheck,
    client_certificate: clientCertificate,
    texts,
    clock_skew: clockSkewMs === undefined ? undefined : duration(clockSkewMs),
  });
}
