import { setTimeout as pause } from 'node:timers/promises';
import { TestIdentitySigner } from '../testing';
import { IdentityKeys, type JwkSet } from './identity-keys';

jest.mock('node:timers/promises', () => ({ setTimeout: jest.fn(async () => undefined) }));
const pauses = jest.mocked(pause);

describe('identity keys', () => {
  it('ask auth-session once for many unknown key ids at a time', async () => {
    const source = jest.fn(new TestIdentitySigner().jwks);
    const keys = new IdentityKeys(source, { refreshIntervalMinMs: 60_000 });
    await Promise.all(Array.from({ length: 50 }, (_, i) => keys.find(`made-up-${i}`)));
    expect(source).toHaveBeenCalledTimes(1);
  });

  it('keep the known keys when a renewal fails', async () => {
    const signer = new TestIdentitySigner();
    const { kid } = (await signer.jwks()).keys[0]!;
    const source = jest.fn().mockImplementationOnce(signer.jwks).mockRejectedValue(new Error('away'));
    const keys = new IdentityKeys(source, { refreshIntervalMinMs: 0, maxAgeMs: 0 });
    expect(await keys.find(kid!)).toBeDefined();
    expect(await keys.find(kid!)).toBeDefined();
    expect(source).toHaveBeenCalledTimes(2);
  });

  describe('as time passes', () => {
    let nowMs = 0;
    beforeEach(() => {
      nowMs = 1_000_000;
      pauses.mockClear();
      jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    });
    afterEach(() => jest.restoreAllMocks());
    const withSource = async () => {
      const signer = new TestIdentitySigner();
      const source = jest.fn(signer.jwks);
      const keys = new IdentityKeys(source);
      return { source, keys, kid: (await signer.jwks()).keys[0]!.kid! };
    };

    it('wait a second between two fetches, however many unknown key ids come one after the other', async () => {
      const { source, keys } = await withSource();
      await keys.find('made-up-1');
      expect(pauses).not.toHaveBeenCalled();
      nowMs += 300;
      await keys.find('made-up-2');
      expect(pauses.mock.calls).toEqual([[700]]);
      nowMs += 1_000;
      await keys.find('made-up-3');
      expect(pauses).toHaveBeenCalledTimes(1);
      expect(source).toHaveBeenCalledTimes(3);
    });

    it('are renewed in the background once they are older than five minutes, so that a withdrawn key ends', async () => {
      const { source, keys, kid } = await withSource();
      await keys.find(kid);
      nowMs += 300_000;
      await keys.find(kid);
      expect(source).toHaveBeenCalledTimes(1);
      nowMs += 1;
      await keys.find(kid);
      expect(source).toHaveBeenCalledTimes(2);
    });

    it('leave out a key without an id, whatever it is, and keep the others', async () => {
      const { keys: published } = await new TestIdentitySigner().jwks();
      const source = async () => ({
        keys: [{ kty: 'unknown' }, { ...published[0]!, kid: undefined }, published[0]!] as JwkSet['keys'],
      });
      const keys = new IdentityKeys(source);
      expect(await keys.find('any')).toBeUndefined();
      expect(await keys.find(published[0]!.kid!)).toBeDefined();
    });
  });
});
