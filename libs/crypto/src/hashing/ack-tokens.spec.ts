import { generateKeyPairSync } from 'node:crypto';
import { ackTokenHash, AckTokens } from './ack-tokens';

const newKey = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

describe('tokens of acknowledgements (T-18)', () => {
  const key = newKey();
  const tokens = AckTokens.of(key);

  it('are 22 characters, the same in every replica with that key, and different for each transaction and key', () => {
    expect(tokens.tokenOf(1)).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(AckTokens.of(key).tokenOf(1)).toBe(tokens.tokenOf(1));
    const all = [1, 2, 11, 21].flatMap(id => [tokens.tokenOf(id), AckTokens.of(newKey()).tokenOf(id)]);
    expect(new Set(all).size).toBe(all.length);
  });

  it('are shown to nobody by their hash', () => {
    expect(tokens.hashOf(1)).toBe(ackTokenHash(tokens.tokenOf(1)));
    expect(tokens.hashOf(1)).toMatch(/^[0-9a-f]{32}$/);
  });
});
