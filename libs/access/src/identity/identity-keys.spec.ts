import { TestIdentitySigner } from '../testing';
import { IdentityKeys } from './identity-keys';

describe('identity keys', () => {
  it('ask auth-session once for many unknown key ids at a time', async () => {
    const source = jest.fn(new TestIdentitySigner().jwks);
    const keys = new IdentityKeys(source, { refreshIntervalMinMs: 60_000 });
    await Promise.all(Array.from({ length: 50 }, (_, i) => keys.find(`made-up-${i}`)));
    expect(source).toHaveBeenCalledTimes(1);
  });

  it('keep what they have when a renewal fails', async () => {
    const signer = new TestIdentitySigner();
    const { kid } = (await signer.jwks()).keys[0]!;
    const source = jest.fn().mockImplementationOnce(signer.jwks).mockRejectedValue(new Error('away'));
    const keys = new IdentityKeys(source, { refreshIntervalMinMs: 0, maxAgeMs: 0 });
    expect(await keys.find(kid!)).toBeDefined();
    expect(await keys.find(kid!)).toBeDefined();
    expect(source).toHaveBeenCalledTimes(2);
  });
});
