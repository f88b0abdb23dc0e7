import { inVersion, isPayloadVersion, payloadVersions, storedVersion, UnknownPayloadVersionError } from './payload-versions';

describe('payload versions', () => {
  it('a notification in V3 is the stored text itself, neither parsed nor copied (R-9-2)', () => {
    const stored = Buffer.from('{"no":"notification"}');
    expect(inVersion('V3', stored)).toBe(stored);
    expect(inVersion('V3', 'text')).toBe('text');
  });

  it('each version has its writer, and the stored one is among them (R-9-2)', () => {
    expect(payloadVersions).toContain(storedVersion);
    expect(payloadVersions.every(isPayloadVersion)).toBe(true);
  });

  it.each(['V2', 'v3', '', 'constructor', '__proto__'])('%j is no version, and nothing is written in it (R-9-2)', version => {
    expect(isPayloadVersion(version)).toBe(false);
    expect(() => inVersion(version, 'text')).toThrow(UnknownPayloadVersionError);
  });
});
