/** Bodies that no receiver may accept, made from a good one. Each is what the header and the place of a real body would be. */
import { randomBytes } from 'node:crypto';
import { nonceBytes, sealed, tagBytes } from './envelope';

export interface AlteredBody {
  /** The change of the body, as the end of "answered 200 to …". */
  what: string;
  body: string;
}

const shortTagBytes = 4;

export function flippedBodies(text: string, key: Buffer): AlteredBody[] {
  const places: [string, (bytes: Buffer) => number][] = [
    ['the nonce', () => 0],
    ['the ciphertext', bytes => middleOfAString(text, bytes)],
    ['the first byte of the tag', bytes => bytes.length - tagBytes],
    ['the last byte of the tag', bytes => bytes.length - 1],
  ];
  return places.map(([place, indexIn]) => {
    const bytes = sealed(text, key);
    bytes[indexIn(bytes)]! ^= 1;
    return { what: `a body with a flipped bit in ${place}`, body: bytes.toString('base64') };
  });
}

/** A letter of the merchant's name: with it changed the JSON is still JSON, so that only the tag tells. */
function middleOfAString(text: string, bytes: Buffer): number {
  const letter = text.indexOf('"merchantName"') + '"merchantName": "'.length;
  return letter < bytes.length ? nonceBytes + Buffer.byteLength(text.slice(0, letter)) : nonceBytes;
}

export function wrongKeyBodies(text: string): AlteredBody[] {
  return [{ what: 'a body under another key', body: sealed(text, randomBytes(16)).toString('base64') }];
}

export function shortBodies(text: string, key: Buffer): AlteredBody[] {
  const bytes = sealed(text, key);
  return [
    { what: 'an empty body', body: '' },
    { what: 'a body of 1 byte', body: bytes.subarray(0, 1).toString('base64') },
    { what: 'a body of a nonce alone', body: bytes.subarray(0, nonceBytes).toString('base64') },
    { what: 'a body of 27 bytes', body: bytes.subarray(0, nonceBytes + tagBytes - 1).toString('base64') },
    { what: 'the first 28 bytes of a body', body: bytes.subarray(0, nonceBytes + tagBytes).toString('base64') },
    { what: 'a body cut in the middle', body: bytes.subarray(0, bytes.length / 2).toString('base64') },
  ];
}

/** The true tag, cut to 4 bytes: a library that takes the length of the tag from its input lets 2^32 guesses forge a payment. */
export function shortTagBodies(text: string, key: Buffer): AlteredBody[] {
  const bytes = sealed(text, key);
  const empty = sealed('', key);
  const cut = tagBytes - shortTagBytes;
  return [
    { what: 'a body whose tag has 4 bytes', body: bytes.subarray(0, -cut).toString('base64') },
    { what: 'a body whose tag has 15 bytes', body: bytes.subarray(0, -1).toString('base64') },
    { what: 'a nonce and a tag of 4 bytes, without content', body: empty.subarray(0, -cut).toString('base64') },
  ];
}

export function unencryptedBodies(text: string): AlteredBody[] {
  return [
    { what: 'the notification in plain JSON', body: text },
    { what: 'the notification in base64 without encryption', body: Buffer.from(text).toString('base64') },
    { what: 'text that is not base64', body: 'not base64 at all!' },
  ];
}
