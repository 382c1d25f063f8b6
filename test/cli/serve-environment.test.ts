import { describe, expect, it } from 'vitest';
import { withEnvironment } from '../../src/cli/serve-environment.ts';

const env = { FAKE_ISTIOD_BIND: '0.0.0.0, ::', FAKE_ISTIOD_CONTROL_PORT: '15080', FAKE_ISTIOD_CONTROL_BIND: '0.0.0.0' };

describe('the environment of serve', () => {
  it('says where to listen, as an image has it', () => {
    expect(withEnvironment({}, { env })).toEqual({ bind: ['0.0.0.0', '::'], controlPort: 15080, controlBind: '0.0.0.0' });
  });

  it('stands back behind the options', () => {
    const options = { bind: ['10.0.0.1'], controlPort: 0, controlBind: '127.0.0.1' };
    expect(withEnvironment(options, { env })).toEqual(options);
  });

  it('changes nothing where it says nothing, or only where a control API would be', () => {
    expect(
      withEnvironment({}, { env: { FAKE_ISTIOD_BIND: ' ', FAKE_ISTIOD_CONTROL_PORT: '', FAKE_ISTIOD_CONTROL_BIND: '0.0.0.0' } }),
    ).toEqual({});
  });

  it('is told by the name of the variable where its port is none', () => {
    expect(() => withEnvironment({}, { env: { FAKE_ISTIOD_CONTROL_PORT: '99999' } })).toThrow(
      /^FAKE_ISTIOD_CONTROL_PORT: "99999" is not a port/,
    );
  });
});
