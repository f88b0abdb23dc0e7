import { randomUUID } from 'node:crypto';
import { eventually } from '@paycode/service-runtime/testing';
import { Secret, TOTP } from 'otpauth';
import { FakeMails } from '../testing/fake-mails';
import { PortalVisitor } from '../testing/portal-visitor';
import { RunningPortal } from '../testing/running-portal';

const password = 'a long enough sentence';
const another = 'quite another sentence';

interface Known {
  email: string;
  personId: string;
  tenantId: string;
}

let portal: RunningPortal;
let mails: FakeMails;
let tenants = 5_000;
let addresses = 0;

beforeAll(async () => {
  mails = await FakeMails.start();
  portal = await RunningPortal.start({ RECIPIENT_MESSAGES_URL: mails.url, AUTH_SESSION_URL: mails.url });
});
afterAll(() => Promise.all([portal.stop(), mails.stop()]));

/** A browser at an address of its own. */
const elsewhere = () => new PortalVisitor(portal, `198.51.${100 + (++addresses >> 8)}.${addresses % 256}`);

async function person({ tenantId = String(++tenants), role = 'OWNER' } = {}): Promise<Known> {
  const email = `${randomUUID()}@shop.example`;
  const response = await fetch(`${portal.internalUrl}/internal/people`, {
    method: 'POST',
    headers: { ...portal.operatorHeaders(), 'content-type': 'application/json' },
    body: JSON.stringify({ email, name: 'Thandi', tenantType: 'MERCHANT', tenantId, role, password }),
  });
  expect(response.status).toBe(201);
  return { email, tenantId, personId: ((await response.json()) as { personId: string }).personId };
}

async function signedIn({ email }: { email: string }, with_ = password): Promise<PortalVisitor> {
  const visitor = elsewhere();
  expect((await visitor.post('session', { email, password: with_ })).status).toBe(200);
  return visitor;
}

/** An owner, and somebody of the same account. */
async function account(role = 'DEVELOPER') {
  const first = await person();
  const colleague = await person({ tenantId: first.tenantId, role });
  return { first, owner: await signedIn(first), colleague };
}

const remove = (by: PortalVisitor, { personId }: Known, current = password) => by.post(`people/${personId}/remove`, { current });
const setRole = (by: PortalVisitor, { personId }: Known, { role, current = password }: { role: string; current?: string }) =>
  by.post(`people/${personId}/role`, { role, current });
const roleOf = async (visitor: PortalVisitor) =>
  ((await visitor.get('session')).body as unknown as { person?: { role: string } }).person?.role;

describe('owners say who is in (proves: T-24, T-52)', () => {
  it('a leaver is out at once: sessions end, and the password signs in no more', async () => {
    const { owner, colleague } = await account();
    const leaver = await signedIn(colleague);
    expect((await leaver.get('people')).status).toBe(200);
    expect((await remove(owner, colleague)).status).toBe(204);
    expect((await leaver.get('people')).status).toBe(401);
    expect((await elsewhere().post('session', { email: colleague.email, password })).status).toBe(401);
    expect((await owner.get('people')).body).toHaveLength(1);
    // Another account, or the same one, may let the address in again.
    expect((await owner.post('invitations', { email: colleague.email, name: 'Back', role: 'VIEWER' })).status).toBe(201);
  });

  it('a role counts at once, in a session that is open', async () => {
    const { owner, colleague } = await account('VIEWER');
    const open = await signedIn(colleague);
    expect((await open.get('actions')).status).toBe(403);
    expect((await setRole(owner, colleague, { role: 'OWNER' })).status).toBe(204);
    expect(await roleOf(open)).toBe('OWNER');
    expect((await open.get('actions')).status).toBe(200);
    expect((await setRole(owner, colleague, { role: 'ADMINISTRATOR' })).status).toBe(400);
  });

  it('only owners of the same account do, with their own password', async () => {
    const { first, owner, colleague } = await account();
    const stranger = await signedIn(await person());
    const developer = await signedIn(colleague);
    const demote = (by: PortalVisitor, of: Known, current = password) => setRole(by, of, { role: 'VIEWER', current });
    for (const change of [remove, demote]) {
      expect((await change(developer, first)).status).toBe(403);
      expect((await change(stranger, colleague)).status).toBe(404);
      expect((await change(owner, colleague, another)).status).toBe(401);
    }
    expect(await roleOf(developer)).toBe('DEVELOPER');
  });

  it('the last owner stays, whoever asks, and so does one of two who remove each other at once', async () => {
    const { first, owner, colleague } = await account();
    expect((await remove(owner, first)).status).toBe(409);
    expect((await setRole(owner, first, { role: 'VIEWER' })).status).toBe(409);
    expect((await setRole(owner, colleague, { role: 'OWNER' })).status).toBe(204);
    const other = await signedIn(colleague);
    const both = await Promise.all([remove(owner, colleague), remove(other, first)]);
    expect(both.map(({ status }) => status).sort()).not.toEqual([204, 204]);
    const rows = await portal.database.dataSource.query<unknown[]>('select from person where tenant_id = $1', [first.tenantId]);
    expect(rows).toHaveLength(1);
  });

  it('an invitation is sent again, of which the latest link is good, and withdrawn', async () => {
    const { owner, first } = await account();
    const email = `${randomUUID()}@shop.example`;
    const { personId } = (await owner.post('invitations', { email, name: 'New', role: 'VIEWER' })).body as unknown as Known;
    expect((await owner.post(`people/${personId}/invite`)).status).toBe(204);
    expect((await owner.post(`people/${first.personId}/invite`)).status).toBe(409);
    const links = await mails.mailedTo(email, portal.database);
    expect(links.map(({ reason }) => reason)).toEqual(['INVITED', 'INVITED']);
    const secrets = links.map(({ secret }) => secret);
    const accept = (secret: string) => elsewhere().post('invitations/accept', { secret, password });
    expect((await accept(secrets[0]!)).status).toBe(410);
    expect((await remove(owner, { personId, email, tenantId: first.tenantId })).status).toBe(204);
    expect((await accept(secrets[1]!)).status).toBe(410);
  });

  it('owners read what the people of their account did, those who left included, and nobody else’s', async () => {
    const { owner, colleague } = await account();
    await signedIn(colleague);
    await setRole(owner, colleague, { role: 'VIEWER' });
    await remove(owner, colleague);
    const read = async (query = '') =>
      (await owner.get(`actions${query}`)).body as unknown as { action: string; auditEventId: string; detail: object }[];
    const all = await read();
    expect(all.map(({ action }) => action)).toEqual(['PERSON_REMOVED', 'ROLE_CHANGED', 'SIGNED_IN', 'SIGNED_IN']);
    expect(all[1]!.detail).toMatchObject({ name: 'Thandi', from: 'DEVELOPER', to: 'VIEWER' });
    expect(await read(`?before=${all[1]!.auditEventId}`)).toEqual(all.slice(2));
    expect(await read('?action=ROLE_CHANGED')).toEqual([all[1]]);
    const response = await fetch(`${portal.publicUrl}/console/api/actions/file?action=ROLE_CHANGED`, {
      headers: { cookie: owner.cookie, 'sec-fetch-site': 'same-origin' },
    });
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="record.csv"');
    const [header, line, end] = Buffer.from(await response.arrayBuffer())
      .toString()
      .split('\r\n');
    expect([header, end]).toEqual(['\uFEFFat,person,action,merchantId,address,detail', '']);
    expect(line).toMatch(/^\d{4}-[^,]+Z,Thandi,ROLE_CHANGED,,[^,]+,"to: VIEWER, from: DEVELOPER, name: Thandi, person: [^,]+"$/);
    expect((await read())[0]).toMatchObject({ action: 'RECORD_EXPORTED', detail: { action: 'ROLE_CHANGED' } });
    expect((await (await signedIn(await person())).get('actions')).body).toMatchObject([{ action: 'SIGNED_IN' }]);
  });
});

describe('a person reads in one language and time zone (proves: A-96)', () => {
  const reading = { language: 'ar', timeZone: 'Asia/Riyadh' };
  const readingOf = async (visitor: PortalVisitor) => {
    const { person: me } = (await visitor.get('session')).body as unknown as { person: object };
    return me;
  };

  it('that is nobody’s at first, and after a choice is there in every browser', async () => {
    const [known, other] = [await person(), await person()];
    const first = await signedIn(known);
    expect(await readingOf(first)).toMatchObject({ language: null, timeZone: null });
    expect((await first.post('session/reading', reading)).status).toBe(204);
    for (const visitor of [first, await signedIn(known)]) expect(await readingOf(visitor)).toMatchObject(reading);
    expect(await readingOf(await signedIn(other))).toMatchObject({ language: null, timeZone: null });
  });

  it.each([
    ['language', { ...reading, language: 'xx' }],
    ['timeZone', { ...reading, timeZone: 'Mars/Olympus' }],
  ])('that is known, or %s is refused; only those who are signed in have one', async (field, body) => {
    const visitor = await signedIn(await person());
    expect(await visitor.post('session/reading', body)).toMatchObject({ status: 400, body: { errors: [{ field }] } });
    expect((await elsewhere().post('session/reading', reading)).status).toBe(401);
    expect(await readingOf(visitor)).toMatchObject({ language: null, timeZone: null });
  });

  it('in which those whom the person invites are mailed, also when they are invited again', async () => {
    const { owner } = await account();
    await owner.post('session/reading', reading);
    const email = `${randomUUID()}@shop.example`;
    const { personId } = (await owner.post('invitations', { email, name: 'New', role: 'VIEWER' })).body as unknown as Known;
    expect((await owner.post(`people/${personId}/invite`)).status).toBe(204);
    expect(await mails.mailedTo(email, portal.database)).toMatchObject([reading, reading]);
  });
});

describe('a forgotten password (proves: T-04, T-05, T-06)', () => {
  const ask = (email: string, from = elsewhere()) => from.post('password/forgotten', { email });
  const linksFor = (email: string) => mails.mailedTo(email, portal.database);
  const choose = (secret: string) => elsewhere().post('invitations/accept', { secret, password: another });
  const secretFor = async (email: string) => {
    await eventually(async () => expect(await linksFor(email)).not.toEqual([]));
    return (await linksFor(email)).at(-1)!.secret;
  };

  it('a link, good once, sets another one; sessions end, and the old password signs in no more', async () => {
    const known = await person();
    const open = await signedIn(known);
    expect((await ask(known.email.toUpperCase())).status).toBe(204);
    const secret = await secretFor(known.email);
    expect(await linksFor(known.email)).toMatchObject([{ reason: 'PASSWORD_FORGOTTEN' }]);
    expect((await choose(secret)).status).toBe(204);
    expect((await choose(secret)).status).toBe(410);
    expect((await open.get('people')).status).toBe(401);
    expect((await elsewhere().post('session', { email: known.email, password })).status).toBe(401);
    await signedIn(known, another);
  });

  it('the second factor is still asked for', async () => {
    const known = await person();
    const visitor = await signedIn(known);
    const { sealed, secret } = (await visitor.post('totp')).body as unknown as { sealed: string; secret: string };
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
    expect((await visitor.post('totp/confirm', { sealed, code, current: password })).status).toBe(200);
    await ask(known.email);
    expect((await choose(await secretFor(known.email))).status).toBe(204);
    const half = await signedIn(known, another);
    expect((await half.get('session')).body['stage']).toBe('CODE_DUE');
  });

  it('an address that nobody has, or that is invited only, gets the same answer and no mail', async () => {
    const { owner } = await account();
    const invited = `${randomUUID()}@shop.example`;
    expect((await owner.post('invitations', { email: invited, name: 'New', role: 'VIEWER' })).status).toBe(201);
    const known = await person();
    const answers = await Promise.all(['nobody@shop.example', invited, known.email].map(email => ask(email)));
    expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(3).fill([answers[2]!.status, answers[2]!.body]));
    await secretFor(known.email);
    expect(await linksFor(invited)).toMatchObject([{ reason: 'INVITED' }]);
    expect(await linksFor('nobody@shop.example')).toEqual([]);
  });

  it('three mails an hour reach a person, and one address asks for twenty', async () => {
    const [known, last] = [await person(), await person()];
    const from = elsewhere();
    const statuses = [];
    for (let each = 0; each < 21; each++) statuses.push((await ask(each === 19 ? last.email : known.email, from)).status);
    expect(statuses).toEqual([...Array<number>(20).fill(204), 429]);
    await secretFor(last.email);
    await eventually(async () => expect(await linksFor(known.email)).toHaveLength(3));
  });
});
