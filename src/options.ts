import type { AuthWish } from './auth/policy.ts';
import type { PkiFolder } from './ca/pki-folder.ts';
import type { Clock } from './clock.ts';
import type { ControlOptions } from './control/control-server.ts';
import type { DebugOptions } from './debug/debug-server.ts';
import type { TimelineEvent } from './events.ts';
import type { Quirks } from './protocol/quirks.ts';
import type { ResourceSet } from './protobuf/resource-set.ts';
import type { Scenario } from './script/scenario.ts';

/** How `startFakeIstiod` starts. Everything has a default; nothing is read from the environment. */
export interface FakeIstiodOptions {
  /** A path, the name of a packaged scenario (`ready`), or a loaded one. Default: nothing is served and nothing withheld. */
  readonly scenario?: string | Scenario;
  /** What is served from the start, on top of the scenario: see `ResourceSet`. */
  readonly serve?: ResourceSet;
  /** Port for TLS and plaintext, told apart by the first byte. Default 0: a free one. */
  readonly port?: number;
  /** A further port for plaintext alone, as istiod's 15010. Default: none. */
  readonly plaintextPort?: number;
  /** Addresses to listen on. Default 127.0.0.1 and, where there is one, ::1. */
  readonly bind?: readonly string[];
  /** `auto` takes TLS and plaintext on `port`; `on` and `off` one of the two. Default `auto`. */
  readonly tls?: 'auto' | 'on' | 'off';
  /**
   * What callers have to prove: istiod's rules (`true`), these laid over them and over what the scenario says, or nothing (`false`).
   * Default: as the scenario says; else nothing, unless `pki` is given.
   */
  readonly auth?: AuthWish | boolean;
  /**
   * A folder with the authority and the token key, or one that was opened (`openPki`); what it lacks is made. Default: both live as long
   * as the server.
   */
  readonly pki?: string | PkiFolder;
  /** The largest message taken and sent, in bytes. Default 64 MiB. */
  readonly maxMessageBytes?: number;
  /** The largest file read, in bytes. Default 16 MiB. */
  readonly maxInputBytes?: number;
  /** Deviations from istiod; default as the scenario says, else istiod's own habits. */
  readonly quirks?: Partial<Quirks>;
  /** Told every event from the first on, also those of before `startFakeIstiod` resolves. */
  readonly onEvent?: (event: TimelineEvent) => void;
  /**
   * How much of the past is kept. `events`: in the timeline, and so frames in the journal; default 200 000, then the oldest tenth goes.
   * `eventBytes`: what the long lists and texts in events may take (names, what a NACK says), lists that several events share counting once;
   * default 64 MiB. `messageBytes`: of the messages behind the frames; default 64 MiB, resources that several responses share counting once; 0: none.
   */
  readonly journal?: { readonly events?: number; readonly eventBytes?: number; readonly messageBytes?: number };
  /** Serves the control API (HTTP, JSON), on a port of its own: see docs/control.md. Default: nothing is. `{}`: a free port of loopback. */
  readonly control?: ControlOptions;
  /** Serves istiod's own HTTP (`/metrics`, `/version`, `/ready`, `/debug/…`): see docs/debug.md. Default: nothing is. */
  readonly debug?: DebugOptions;
  /** What it calls itself where istiod tells the name of its pod (POD_NAME). Default `fake-istiod`. */
  readonly podName?: string;
  /** Time; a test may bring its own. */
  readonly clock?: Clock;
}

/** Narrows a withhold, a release or a fault to some nodes or resources. */
export interface WithholdOptions {
  /** Resource names; left out: the whole type. */
  readonly names?: readonly string[];
  /** A node id, in which `*` stands for any characters; left out: every node. */
  readonly node?: string;
}
