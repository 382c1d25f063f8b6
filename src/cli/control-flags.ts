import type { Control, ControlOptions } from '../control/control-server.ts';
import { FakeIstiodError } from '../errors.ts';
import type { Terminal } from './terminal.ts';

/** The flags of `serve` that are about the control API. */
export interface ControlFlags {
  readonly controlPort?: number;
  readonly controlBind?: string;
  readonly controlToken?: string;
}

/** Where a token is looked for that is not given as an option; there no other user of the machine sees it. */
const tokenVariable = 'FAKE_ISTIOD_CONTROL_TOKEN';

/** What the flags ask for; undefined for no control API. Error `usage.invalid` for one that has no port. */
export function controlOptions({ controlPort, controlBind, controlToken }: ControlFlags, { env }: Terminal): ControlOptions | undefined {
  if (controlPort === undefined) {
    const flag = controlBind === undefined ? (controlToken === undefined ? undefined : '--control-token') : '--control-bind';
    if (flag === undefined) return undefined;
    throw new FakeIstiodError('usage.invalid', `${flag} says nothing without --control-port`, { remedy: 'Add --control-port 15080' });
  }
  const token = controlToken ?? env[tokenVariable];
  return {
    port: controlPort,
    ...(controlBind === undefined ? {} : { bind: controlBind }),
    ...(token === undefined || (token === '' && controlToken === undefined) ? {} : { token }),
  };
}

/** What is said of the control API once it listens. A token that nobody gave is told, for nobody else knows it. */
export function controlLines({ url, token }: Control, { token: given }: ControlOptions): readonly string[] {
  const asked =
    token === undefined
      ? []
      : given === undefined
        ? [`It asks for a token: export ${tokenVariable}=${token}`]
        : ['It asks for the token given.'];
  return [`The control API is at ${url} (a page in a browser, or fake-istiod ctl --help).`, ...asked];
}
