import type { AlertDevice } from '@paycode/dto';

/** The first that fits: each browser names those that it descends from as well. */
const browsers: [RegExp, AlertDevice['browser']][] = [
  [/\bEdg(A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b((Headless)?Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: [RegExp, AlertDevice['system']][] = [
  [/Windows/, 'Windows'],
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X/, 'macOS'],
  [/Linux|CrOS/, 'Linux'],
];

/** A device in words from lists: what a browser says of itself reaches no mail. */
export function deviceOf({ userAgent, address }: { userAgent: string; address: string }): AlertDevice {
  const first = <Name>(marks: [RegExp, Name][]) => marks.find(([mark]) => mark.test(userAgent))?.[1];
  return {
    browser: first(browsers) ?? 'another browser',
    system: first(systems) ?? 'another system',
    addressStart: addressStart(address),
  };
}

/** As mails and the list of sessions name it. */
export function deviceName(userAgent: string): string {
  const { browser, system } = deviceOf({ userAgent, address: '' });
  return `${browser} on ${system}`;
}

function addressStart(address: string): string {
  const ofFour = /(?:^|:)(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/.exec(address)?.[1];
  const [groups = ''] = address.toLowerCase().split('::');
  const ofSix = /^[0-9a-f]{1,4}(:[0-9a-f]{1,4}){0,2}/.exec(groups)?.[0];
  return ofFour ?? (address.includes(':') ? (ofSix ?? '') : '');
}
