import { addingRecipient, removingHttp, removingRecipient, renewingKey, settingHttp } from './configuration-change';
import { entriesOf, type HttpNotification, type NotificationConfiguration } from './notification-configuration';

const none = { sealedCredential: null, hasClientCertificate: false };
const http: HttpNotification = { url: 'https://shop.example/a', version: 'V3', keyId: 'key-1', sealedKey: 'sealed-1', ...none };
const fresh = { keyId: 'key-2', sealedKey: 'sealed-2' };
const email = { type: 'EMAIL' as const, value: 'owner@shop.example' };
const sms = { type: 'SMS' as const, value: '27821234567' };
const configured = (over: Partial<NotificationConfiguration> = {}): NotificationConfiguration => ({
  merchantId: 1001,
  status: 'ACTIVE',
  http: null,
  isHttpFresh: false,
  recipients: [],
  ...over,
});

const revealed = (keyId: string) => ({ kind: 'KEY_REVEALED', detail: { keyId } });
const urlSet = (url: string, version: string, replaced: string) => ({ kind: 'URL_SET', detail: { url, version, replaced } });

describe('a change of the configuration of a merchant', () => {
  it('the first URL gets a new key, which is shown (R-4.3-5)', () => {
    const wanted = { url: http.url, version: 'V3' };
    expect(settingHttp(configured(), wanted, fresh)).toStrictEqual({
      http: { ...wanted, ...fresh, ...none },
      events: [urlSet(http.url, 'V3', ''), { kind: 'KEY_CREATED', detail: { keyId: 'key-2' } }, revealed('key-2')],
      notice: 'URL_CHANGED',
    });
  });

  it('a URL without a payload version keeps the one before it; the first one gets V3 (R-9-2)', () => {
    const versionAfter = (before: HttpNotification | null) =>
      settingHttp(configured({ http: before }), { url: 'https://shop.example/b' }, fresh).http?.version;
    expect([versionAfter({ ...http, version: 'V4' }), versionAfter(null)]).toEqual(['V4', 'V3']);
  });

  it.each([
    ['URL', { url: 'https://shop.example/b', version: 'V3' }],
    ['version', { url: http.url, version: 'V4' }],
  ])('another %s keeps the key and notifies the recipients (R-4.3-6)', (_, wanted) => {
    expect(settingHttp(configured({ http }), wanted, fresh)).toStrictEqual({
      http: { ...http, ...wanted },
      events: [urlSet(wanted.url, wanted.version, http.url), revealed('key-1')],
      notice: 'URL_CHANGED',
    });
  });

  it('the same URL and version change nothing and show the key (A-48)', () => {
    const wanted = { url: http.url, version: http.version };
    expect(settingHttp(configured({ http }), wanted, fresh)).toStrictEqual({ events: [revealed('key-1')] });
  });

  it.each([
    ['credential', { sealedCredential: 'sealed-2' }, { credential: 'set', clientCertificate: 'false' }],
    ['client certificate', { hasClientCertificate: true }, { credential: 'none', clientCertificate: 'true' }],
  ])('another %s is recorded without what it is, keeps the key and notifies the recipients (T-59)', (_, access, detail) => {
    const wanted = { url: http.url, ...access };
    expect(settingHttp(configured({ http }), wanted, fresh)).toStrictEqual({
      http: { ...http, ...access },
      events: [{ kind: 'CREDENTIAL_SET', detail }, revealed('key-1')],
      notice: 'CREDENTIAL_CHANGED',
    });
  });

  it('a new key leaves URL and version as they are (R-4.3-11)', () => {
    expect(renewingKey(http, fresh)).toStrictEqual({
      http: { ...http, ...fresh },
      events: [{ kind: 'KEY_RENEWED', detail: { keyId: 'key-2', replaced: 'key-1' } }, revealed('key-2')],
      notice: 'KEY_CHANGED',
    });
  });

  it('removing a URL removes its key and notifies the recipients; without a URL there is no change (T-15)', () => {
    expect(removingHttp(configured({ http }))).toStrictEqual({
      http: null,
      events: [{ kind: 'URL_REMOVED', detail: { replaced: http.url } }],
      notice: 'URL_REMOVED',
    });
    expect(removingHttp(configured())).toBeUndefined();
  });

  it('a recipient is added once, and the log holds only its mask (A-53)', () => {
    const detail = { type: 'EMAIL', value: 'o***@shop.example' };
    expect(addingRecipient(configured({ recipients: [sms] }), email)).toStrictEqual({
      added: email,
      events: [{ kind: 'RECIPIENT_ADDED', detail }],
      notice: 'RECIPIENT_ADDED',
    });
    expect(addingRecipient(configured({ recipients: [sms, email] }), email)).toStrictEqual({ events: [] });
    expect(addingRecipient(configured({ recipients: [{ ...sms, value: email.value }] }), email)).toHaveProperty('added');
    expect(addingRecipient(configured({ recipients: [{ ...email, value: 'a@shop.example' }] }), email)).toHaveProperty('added');
  });

  it.each([
    ['+27821234567', '27821234567', 'SMS'],
    ['27821234567', '+27821234567', 'SMS'],
    ['Owner@Shop.Example', 'owner@shop.example', 'EMAIL'],
  ] as const)('%j and %j are one recipient, spelled as it was added (A-88)', (stored, again, type) => {
    const current = configured({ recipients: [{ type, value: stored }] });
    expect(addingRecipient(current, { type, value: again })).toStrictEqual({ events: [] });
    expect(removingRecipient(current, { type, value: again })).toMatchObject({ removed: { type, value: stored } });
  });

  it('only an existing recipient is removed (R-4.3-14)', () => {
    expect(removingRecipient(configured({ recipients: [email, sms] }), sms)).toStrictEqual({
      removed: sms,
      events: [{ kind: 'RECIPIENT_REMOVED', detail: { type: 'SMS', value: '***567' } }],
      notice: 'RECIPIENT_REMOVED',
    });
    expect(removingRecipient(configured({ recipients: [email] }), sms)).toBeUndefined();
  });
});

describe('the list of the entries of a merchant', () => {
  it('has the URL first, then the recipients as they were added, and never a key (R-4.3-13, R-2.4-5)', () => {
    const stored = { ...sms, addedAt: 'yesterday' };
    expect(entriesOf(configured({ http, recipients: [stored, email] }))).toStrictEqual([
      { type: 'HTTP', value: http.url, version: 'V3' },
      sms,
      email,
    ]);
    expect(entriesOf(configured())).toStrictEqual([]);
  });
});
