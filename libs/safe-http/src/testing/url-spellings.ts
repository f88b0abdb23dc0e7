/** Tables for the suites that try to turn outbound requests inward (T-11). */

/** An address that must not be reached, one of each kind. */
const inwardV4 = [
  '127.0.0.1', '127.8.9.10', '10.0.0.1', '172.16.0.1', '172.31.255.254', '192.168.1.1', '169.254.169.254', '100.64.0.1', '100.100.100.200',
  '168.63.129.16', '0.0.0.0', '224.0.0.1', '239.255.255.250', '198.18.0.1', '192.0.0.192', '192.0.2.1', '198.51.100.7', '203.0.113.5',
  '192.88.99.1', '240.0.0.1', '255.255.255.255',
]; // prettier-ignore

const inwardV6 = [
  '::1', '::', '0:0:0:0:0:0:0:1', '::ffff:7f00:1', '::ffff:0:127.0.0.1', 'fe80::1', 'febf::1', 'fec0::1', 'fc00::1', 'fd00:ec2::254', 'ff02::1',
  'ff0e::1', '2001:db8::1', '3fff::1', '100::1', '5f00::1', '2001:2::1', '2001:10::1', '2001:20::1', '2001::1', '4000::1', '64:ff9b::1',
  '64:ff9b:1::1', '2002::1', '2620:4f:8000::1',
]; // prettier-ignore

/** A public address that is never dialled in the tests. */
export const publicV4 = '93.184.216.34';
export const publicV6 = '2606:2800:220:1:248:1893:25c8:1946';

const parts = (address: string): number[] => address.split('.').map(Number);
const asNumber = (address: string): number => parts(address).reduce((sum, part) => sum * 256 + part, 0);
const hex = (value: number, digits = 1): string => value.toString(16).padStart(digits, '0');
const groups = (address: string): string => {
  const [a, b, c, d] = parts(address).map(part => hex(part, 2));
  return `${a}${b}:${c}${d}`;
};
const inverted = (address: string): string =>
  groups(
    parts(address)
      .map(part => 255 - part)
      .join('.'),
  );

/** Ways to write one IPv4 address that URL parsers, resolvers or kernels are known to understand. */
const v4Spellings: ((address: string) => string)[] = [
  address => address,
  address => `${address}.`,
  address => String(asNumber(address)),
  address => `0x${hex(asNumber(address), 8)}`,
  address => `0${asNumber(address).toString(8)}`,
  address =>
    parts(address)
      .map(part => `0x${hex(part)}`)
      .join('.'),
  address =>
    parts(address)
      .map(part => `0${part.toString(8)}`)
      .join('.'),
  address =>
    parts(address)
      .map(part => `000${part.toString(8)}`)
      .join('.'),
  address => `${parts(address)[0]}.${asNumber(address) % 2 ** 24}`,
  address => `${parts(address).slice(0, 2).join('.')}.${asNumber(address) % 2 ** 16}`,
  address => `${parts(address)[0]}.0x${hex(asNumber(address) % 2 ** 24)}`,
  address => address.replaceAll('.', '。'),
  address => address.replaceAll('.', '%2e'),
  address => [...address].map(char => (char === '.' ? char : String.fromCodePoint(0xff10 + Number(char)))).join(''),
  address => [...address].map(char => `%${hex(char.codePointAt(0)!)}`).join(''),
  address => `[::ffff:${address}]`,
  address => `[::ffff:${groups(address)}]`,
  address => `[0:0:0:0:0:ffff:${groups(address)}]`,
  address => `[::${address}]`,
  address => `[64:ff9b::${address}]`,
  address => `[2002:${groups(address)}::1]`,
  address => `[2001:0:4136:e378:8000:63bf:${inverted(address)}]`,
  address => `[fe80::5efe:${address}]`,
];

const localNames = ['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'ｌｏｃａｌｈｏｓｔ', 'loc%61lhost'];

/** Names a test name server answers with an inward address, alone or among public ones. */
export const inwardNames: ReadonlyMap<string, readonly string[]> = new Map(
  [...inwardV4, ...inwardV6].flatMap((address, i) => [
    [`inward-${i}.test`, [address]],
    [`mixed-${i}.test`, [publicV4, address, publicV6]],
  ]),
);

/** URLs whose host leads inward, whatever they look like; scheme and port are allowed ones. */
export const inwardUrls: readonly string[] = [
  ...inwardV4.flatMap(address => v4Spellings.map(spell => `http://${spell(address)}:8080/hook`)),
  ...inwardV6.map(address => `http://[${address}]/hook`),
  ...localNames.map(name => `http://${name}/hook`),
  ...[...inwardNames.keys()].map(name => `http://${name}:8080/hook`),
];

const host = 'shop.test';

/** URLs that may not be used whatever their host resolves to. */
export const malformedUrls: readonly string[] = [
  ...['ftp', 'file', 'gopher', 'dict', 'ldap', 'ws', 'javascript', 'data', 'jar:http', 'blob:https'].map(scheme => `${scheme}://${host}/`),
  ...[0, 22, 25, 53, 81, 3_306, 5_432, 6_379, 8_081, 9_092, 65_535].map(port => `https://${host}:${port}/`),
  ...[443, 8_443, 3_100, 3_102, 8_000].map(port => `http://${host}:${port}/`),
  `https://${host}:80/`, `https://${host}:8080/`, `https://${host}:65536/`, `https://${host}:-443/`, `https://${host}:443:80/`,
  `https://user@${host}/`, `https://user:secret@${host}/`, `https://@${host}/`, `https://:@${host}/`, `https://${host}@127.0.0.1/`,
  `https://127.0.0.1@${host}/`, `https://${host}:443@127.0.0.1/`, `https://a@b@${host}/`,
  `https://${host}/#fragment`, `https://${host}/#`, `https://${host}#@127.0.0.1/`,
  `https:${host}/`, `https:/${host}/`, `https:///${host}/`, `https:\\\\${host}\\`, `https://${host}\\@127.0.0.1/`, `//${host}/`, `${host}/`, '/hook', '',
  ` https://${host}/`, `https://${host}/ `, `https://${host}/a b`, `ht\ttps://${host}/`, `https://${host}\n/`, `https://sh\top.test/`,
  `https://${host}/\r\nHost: 127.0.0.1`, `https://${host}/\u0000`, `https://${host}\u00a0/`,
  'https://', 'https://.', 'https://..', 'https://?', 'https://[::1', 'https://[fe80::1%25eth0]/', 'https://[fe80::1%eth0]/', 'https://[::1]x/',
  'https://[v1.fe80]/', 'https://256.256.256.256/', 'https://1.2.3.4.5/', 'https://127.0.0.1..test/', 'https://-shop.test/', 'https://shop-.test/',
  `https://${'a'.repeat(64)}.test/`, `https://${'a.'.repeat(130)}test/`, 'https://shop%2f.test/', 'https://shop%00.test/', 'https://shop%20.test/',
  'https://shop,test/', "https://sh'op.test/", 'https://shop*.test/', `https://${host}/${'x'.repeat(2_048)}`,
]; // prettier-ignore

/** Honest URLs; each must be usable in the sandbox. `isProduction`: in production too. */
export const honestUrls: readonly { url: string; isProduction: boolean }[] = [
  ...[
    'https://shop.test', 'https://shop.test/', 'https://shop.test/hook', 'https://shop.test:443/hook', 'https://shop.test:8443/hook',
    'https://shop.test:0443/hook', 'HTTPS://SHOP.TEST/Hook', 'https://shop.test./hook', 'https://www.pay.shop.test/hook',
    'https://a-b--c.shop.test/hook', 'https://_hook.shop.test/', 'https://1.shop.test/', 'https://127.0.0.1.shop.test/hook',
    'https://10.0.0.1.shop.test/', 'https://localhost.shop.test/', 'https://169-254-169-254.shop.test/', 'https://0x7f.shop.test/',
    'https://xn--bcher-kva.test/hook', 'https://bücher.test/hook', 'https://例え.test/', 'https://shop.test/hook?token=a%20b&x=1',
    'https://shop.test/?url=http://127.0.0.1/', 'https://shop.test/@127.0.0.1/', 'https://shop.test/a@b:c', 'https://shop.test//double',
    'https://shop.test/a;b=1,c/~user/(x)!$*+', 'https://shop.test/%23not-a-fragment', 'https://shop.test/caf%C3%A9', 'https://shop.test/café',
    'https://shop.test/a/../b', 'https://shop.test/hook.php?', `https://shop.test/${'x'.repeat(2_030)}`,
    `https://${'a'.repeat(63)}.shop.test/`, 'https://shop.test/[brackets]/{braces}', 'https://[fe80.shop.test/'.replace('[', ''),
  ].map(url => ({ url, isProduction: true })),
  ...[
    'http://shop.test', 'http://shop.test/hook', 'http://shop.test:80/hook', 'http://shop.test:8080/hook', `http://${publicV4}/hook`,
    `https://${publicV4}:8443/hook`, `http://[${publicV6}]:8080/hook`, `https://[${publicV6}]/`,
  ].map(url => ({ url, isProduction: false })),
]; // prettier-ignore
