// Writes notifications.json: bodies that every receiver kit must open, and bodies that it must refuse. Needs node:crypto alone, so that no code of the
// platform vouches for itself; a test compares the result with OpenSSL's command line, and the file with what this script makes.
// node kits/vectors/make-vectors.mjs [--print]
import { createCipheriv, createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const seed = 'paycode receiver kits, published test vectors, version 1';
const samples = join(import.meta.dirname, '../../libs/dto/samples/notifications');
const vectorsFile = join(import.meta.dirname, 'notifications.json');

/** Derives bytes from the seed and a name. */
const derived = (name, bytes) => createHash('sha256').update(`${seed}/${name}`).digest().subarray(0, bytes);
const keys = Object.fromEntries(
  ['current', 'previous', 'stranger'].map(name => [name, derived(`key/${name}`, 16).toString('hex')]),
);

function sealed(name, plaintext, key = keys.current) {
  const nonce = derived(`nonce/${name}`, 12);
  const cipher = createCipheriv('aes-128-gcm', Buffer.from(key, 'hex'), nonce);
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** Names of the fields that a kit reports, and where they stand in the JSON. Values are text: numbers digit for digit. */
const reported = [
  ['transactionId', 'merchantId', 'merchantName', 'acquirer', 'reference', 'amount', 'currencyCode', 'code', 'status'],
  ['clientMsisdn', 'destination', 'extraReferenceName', 'extraReferenceValue', 'tipAmount', 'referenceTransactionId'],
  [
    'bankResponse.retrievalReferenceNumber',
    'cardInfo.last4',
    'clientContact.country',
    'clientBilling.city',
    'versionData.version',
  ],
].flat();

/** Numbers as text, so that nothing is rounded. */
const exactly = text =>
  JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, token => (token[0] === '"' ? token : `"${token}"`)));

function expected(text) {
  const json = exactly(text);
  const at = path => path.split('.').reduce((value, name) => value?.[name], json);
  const fields = Object.fromEntries(reported.map(path => [path, at(path) ?? null]));
  const isReversal = json.status === 'REVERSED' && Number(json.referenceTransactionId ?? 0) > 0;
  return {
    result: 'OK',
    ...fields,
    referenceTransactionId: fields.referenceTransactionId ?? '0',
    paymentId: isReversal ? json.referenceTransactionId : json.transactionId,
  };
}

const both = [keys.current, keys.previous];
const good = (name, text, { key, tryKeys = [keys.current] } = {}) => ({
  name,
  keys: tryKeys,
  body: sealed(name, Buffer.from(text), key).toString('base64'),
  expect: expected(text),
});
const bad = (name, result, body, tryKeys = [keys.current]) => ({
  name,
  keys: tryKeys,
  body: typeof body === 'string' ? body : body.toString('base64'),
  expect: { result },
});

function flipped(bytes, index) {
  const copy = Buffer.from(bytes);
  copy[index < 0 ? copy.length + index : index] ^= 1;
  return copy;
}

function madeVectors() {
  const sampleTexts = readdirSync(samples)
    .sort()
    .map(file => [file.replace('.json', ''), readFileSync(join(samples, file), 'utf8')]);
  const text = readFileSync(join(samples, 'purchase-success.json'), 'utf8');
  const changed = (from, to) => {
    const result = text.replace(from, to);
    if (result === text) throw new Error(`the sample has no ${from}`);
    return result;
  };
  const body = sealed('to be changed', Buffer.from(text));
  const asText = body.toString('base64');
  const refused = (name, json) => bad(name, 'NOT_A_NOTIFICATION', sealed(name, Buffer.from(json)));
  return [
    ...sampleTexts.map(([name, sample]) => good(`sample ${name}`, sample)),
    good('during a renewal, under the new key', text, { tryKeys: both }),
    good('during a renewal, under the old key', text, { key: keys.previous, tryKeys: both }),
    good('the largest id, 2^53-1', changed(/"transactionId": \d+/, '"transactionId": 9007199254740991')),
    good('an amount keeps its last zero, 25.50', changed('110.10', '25.50')),
    good('an amount that no float holds', changed('110.10', '0.1000000000000000055')),
    good('the amount of a test notification, 0.00', changed('110.10', '0.00').replace('order-17', 'TEST-17')),
    good('unknown fields are ignored', changed('"merchantId"', '"later": {"list": [1, 2.50, "]}", null, true]}, "merchantId"')),
    good('an unknown status is handed on', changed('"SUCCESS"', '"A_STATUS_OF_TOMORROW"')),
    good('optional fields are null', changed('"code": "0123456789"', '"code": null, "destination": null, "clientContact": null')),
    good(
      'optional fields are absent',
      changed(/ {2}"(extraReference(Name|Value)|tipAmount|client(Billing|Shipping)|cardInfo)": (null|\{[^}]*\}),\n/g, ''),
    ),
    good('texts beyond ASCII, escapes and quotes', changed('Corner Café', 'Caf\\u00e9 \\ud83d\\ude00 \\"12\\" \\\\ \\/ ☎ 😀')),
    good(
      'minified',
      JSON.stringify(exactly(text)).replace(
        /"(transactionId|merchantId|amount|referenceTransactionId|retrievalReferenceNumber)":"([\d.]+)"/g,
        '"$1":$2',
      ),
    ),
    bad('empty', 'TOO_SHORT', ''),
    bad(
      'only nonce and a tag of 4 bytes',
      'TOO_SHORT',
      Buffer.concat([body.subarray(0, 12), sealed('empty', '').subarray(12, 16)]),
    ),
    bad('27 bytes', 'TOO_SHORT', body.subarray(0, 27)),
    bad('28 bytes that are no envelope', 'NOT_AUTHENTIC', body.subarray(0, 28)),
    bad('a tag of 4 bytes', 'NOT_AUTHENTIC', body.subarray(0, -12)),
    bad('a tag of 15 bytes', 'NOT_AUTHENTIC', body.subarray(0, -1)),
    bad('a byte too many', 'NOT_AUTHENTIC', Buffer.concat([body, Buffer.alloc(1)])),
    bad('another key', 'NOT_AUTHENTIC', sealed('another key', Buffer.from(text), keys.stranger), both),
    bad('no key at all', 'NOT_AUTHENTIC', body, []),
    bad('a flipped bit in the nonce', 'NOT_AUTHENTIC', flipped(body, 0)),
    bad('a flipped bit in the ciphertext', 'NOT_AUTHENTIC', flipped(body, 40)),
    bad('a flipped bit in the last byte of the tag', 'NOT_AUTHENTIC', flipped(body, -1)),
    bad('a flipped bit in the first byte of the tag', 'NOT_AUTHENTIC', flipped(body, -16)),
    bad('not base64', 'BAD_ENCODING', 'not base64 at all!'),
    bad('URL-safe base64', 'BAD_ENCODING', asText.replace(/[+/]/, '-')),
    bad('base64 without a character', 'BAD_ENCODING', asText.slice(0, -1)),
    bad('padding in the middle', 'BAD_ENCODING', `QUI=${asText}`),
    bad('a lone carriage return at the end', 'BAD_ENCODING', `${asText}\r`),
    bad('a line feed at the end', 'BAD_ENCODING', `${asText}\n`),
    bad('a lone carriage return in the middle', 'BAD_ENCODING', `${asText.slice(0, 64)}\r${asText.slice(64)}`),
    bad('a byte order mark', 'BAD_ENCODING', `\ufeff${asText}`),
    bad('the notification in plain JSON', 'BAD_ENCODING', text),
    refused('sealed: not JSON', 'SUCCESS'),
    refused('sealed: a byte order mark', `\ufeff${text}`),
    refused('sealed: a lone carriage return in a text', changed('order-17', 'order\r17')),
    refused('sealed: an array', `[${text}]`),
    refused('sealed: two objects', `${text}${text}`),
    refused('sealed: an open object', text.slice(0, text.lastIndexOf('}'))),
    refused('sealed: an id as text', changed(/"transactionId": (\d+)/, '"transactionId": "$1"')),
    refused('sealed: an id beyond 2^53-1', changed(/"transactionId": \d+/, '"transactionId": 9007199254740992')),
    refused('sealed: an id beyond 64 bits', changed(/"transactionId": \d+/, '"transactionId": 18446744073709551617')),
    refused('sealed: an id with decimals', changed(/"transactionId": (\d+)/, '"transactionId": $1.0')),
    refused('sealed: an id of 0', changed(/"transactionId": \d+/, '"transactionId": 0')),
    refused('sealed: an amount as text', changed('110.10', '"110.10"')),
    refused('sealed: an amount below 0', changed('110.10', '-110.10')),
    refused('sealed: an amount that is null', changed('110.10', 'null')),
    refused('sealed: no amount', changed(/ {2}"amount": 110.10,\n/, '')),
    refused('sealed: no status', changed(/ {2}"status": "SUCCESS",\n/, '')),
    refused('sealed: a status that is a number', changed('"SUCCESS"', '200')),
  ];
}

function vectorsText() {
  const note =
    'Published test values, derived from the seed by make-vectors.mjs: the keys are known to everybody and protect nothing. Result OK: the kit opens the body with one of the keys and reads these fields (numbers as text, digit for digit). Any other result: the kit refuses the body with this code.';
  // A line per vector, which the Java program of the tests reads without a parser.
  const lines = madeVectors().map(vector => `    ${JSON.stringify(vector)}`);
  return `{\n  "note": ${JSON.stringify(note)},\n  "seed": ${JSON.stringify(seed)},\n  "vectors": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

if (process.argv.includes('--print')) process.stdout.write(vectorsText());
else writeFileSync(vectorsFile, vectorsText());
