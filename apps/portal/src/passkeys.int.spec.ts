import { randomUUID } from 'node:crypto';
import { Passwords } from './people/secrets';
import { ownOrigin, PortalVisitor } from './testing/portal-visitor';
import { RunningPortal } from './testing/running-portal';
import { type Deviations, SoftPasskey } from './testing/soft-passkey';

const password = 'a long enough sentence';

describe('passkeys of people', () => {
  let portal: RunningPortal;
  beforeAll(async () => {
    portal = await RunningPortal.start({}, { perPerson: 20 });
  });
  afterAll(() => portal.stop());

  interface Member {
    personId: string;
    email: string;
    visitor: PortalVisitor;
    passkey: SoftPasskey;
  }

  const person = async () => {
    const email = `${randomUUID()}@shop.example`;
    const body = { email, name: 'Thandi', tenantType: 'MERCHANT', tenantId: '1001', role: 'OWNER', password };
    const response = await fetch(`${portal.internalUrl}/internal/people`, {
      method: 'POST',
      headers: { ...portal.operatorHeaders(), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { email, personId: ((await response.json()) as { personId: string }).personId };
  };
  const byPassword = async (email: string) => {
    const visitor = new PortalVisitor(portal);
    const { status, body } = await visitor.post('session', { email, password });
    expect(status).toBe(200);
    return { visitor, stage: String(body['stage']) };
  };
  const asked = async (visitor: PortalVisitor, path: string, body: unknown = {}) => {
    const heard = await visitor.post(path, body);
    expect(heard.status).toBe(200);
    return heard.body as unknown as { sealed: string; options: { challenge: string; allowCredentials?: { id: string }[] } };
  };
  const add = async (visitor: PortalVisitor, passkey: SoftPasskey, over: Deviations = {}) => {
    const { sealed, options } = await asked(visitor, 'passkeys/options', { current: password });
    return visitor.post('passkeys', { sealed, name: 'My phone', ...passkey.create(options, over) });
  };
  const member = async (): Promise<Member> => {
    const { email, personId } = await person();
    const { visitor } = await byPassword(email);
    const passkey = new SoftPasskey(ownOrigin, handleOf(personId));
    expect((await add(visitor, passkey)).status).toBe(200);
    return { email, personId, visitor, passkey };
  };
  const signIn = async (passkey: SoftPasskey, over: Deviations = {}, visitor = new PortalVisitor(portal)) => {
    const { sealed, options } = await asked(visitor, 'session/passkey/options');
    const answer = { sealed, ...passkey.get(options, over) };
    return { visitor, answer, heard: await visitor.post('session/passkey', answer) };
  };
  const stageOf = async (visitor: PortalVisitor) => (await visitor.get('session')).body['stage'];

  it('sign their person in alone, as both factors, and are on record (A-93, T-54)', async () => {
    const { passkey, personId, visitor: owner } = await member();
    const { heard, visitor } = await signIn(passkey);
    expect([heard.status, await stageOf(visitor)]).toEqual([204, 'FULL']);
    expect((await owner.get('passkeys')).body).toMatchObject([{ name: 'My phone', usedAt: expect.any(String) as string }]);
    const rows = await portal.database.dataSource.query<{ action: string }[]>(
      'select action from audit_event where person_id = $1 order by audit_event_id',
      [personId],
    );
    expect(rows.map(({ action }) => action)).toEqual(['SIGNED_IN', 'PASSKEY_ADDED', 'SIGNED_IN', 'SIGNED_IN']);
  });

  it('are owed after the password, which alone opens nothing any more, and recovery codes stand in for them once (A-93, T-54)', async () => {
    const { email, personId } = await person();
    const { visitor: first, stage } = await byPassword(email);
    expect(stage).toBe('FULL');
    const elsewhere = await byPassword(email);
    const passkey = new SoftPasskey(ownOrigin, handleOf(personId));
    const { recoveryCodes } = (await add(first, passkey)).body as unknown as { recoveryCodes: string[] };
    expect(recoveryCodes).toHaveLength(10);
    expect(await stageOf(elsewhere.visitor)).toBe('NONE');
    const half = await byPassword(email);
    expect(half.stage).toBe('CODE_DUE');
    expect((await half.visitor.get('passkeys')).status).toBe(401);
    const { options } = await asked(half.visitor, 'session/passkey/options');
    expect(options.allowCredentials!.map(({ id }) => id)).toEqual([passkey.id]);
    expect((await signIn(passkey, {}, half.visitor)).heard.status).toBe(204);
    expect(await stageOf(half.visitor)).toBe('FULL');
    const lost = await byPassword(email);
    expect((await lost.visitor.post('session/code', { code: recoveryCodes[0] })).status).toBe(200);
    const again = await byPassword(email);
    expect((await again.visitor.post('session/code', { code: recoveryCodes[0] })).status).toBe(401);
  });

  it.each<[string, Deviations]>([
    ['of another origin', { origin: 'https://pay.example.evil.example' }],
    ['of the same host without TLS', { origin: 'http://pay.example' }],
    ['for another relying party', { rpId: 'evil.example' }],
    ['for the parent domain', { rpId: 'example' }],
    ['without seeing the person', { isUserVerified: false }],
    ['to another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['in the name of another person', { userHandle: handleOf(randomUUID()) }],
  ])('an answer %s opens nothing (T-54)', async (_, over) => {
    const { passkey } = await member();
    const { heard, visitor } = await signIn(passkey, over);
    expect([heard.status, await stageOf(visitor)]).toEqual([400, 'NONE']);
    expect((await signIn(passkey)).heard.status).toBe(204);
  });

  it.each<[string, Deviations]>([
    ['of another origin', { origin: 'https://evil.example' }],
    ['for another relying party', { rpId: 'evil.example' }],
    ['that does not see its person', { isUserVerified: false }],
    ['made for another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
  ])('a new passkey %s is not taken (T-54)', async (_, over) => {
    const { email, personId } = await person();
    const { visitor } = await byPassword(email);
    expect((await add(visitor, new SoftPasskey(ownOrigin, handleOf(personId)), over)).status).toBe(400);
    expect((await visitor.get('passkeys')).body).toEqual([]);
  });

  it('an answer is good once, a copy of a passkey is seen by its count, and a broken signature is none (T-54)', async () => {
    const { passkey } = await member();
    const { answer, heard } = await signIn(passkey);
    expect(heard.status).toBe(204);
    expect((await new PortalVisitor(portal).post('session/passkey', answer)).status).toBe(400);
    expect((await signIn(passkey, { count: 1 })).heard.status).toBe(400);
    const thief = new PortalVisitor(portal);
    const { sealed, options } = await asked(thief, 'session/passkey/options');
    const made = new SoftPasskey(ownOrigin, handleOf(randomUUID())).get(options);
    expect((await thief.post('session/passkey', { ...made, id: passkey.id, sealed })).status).toBe(400);
    expect((await thief.post('session/passkey', { ...made, sealed })).status).toBe(401);
  });

  it('a password of one person and a passkey of another open neither account (T-54)', async () => {
    const [victim, thief] = [await member(), await member()];
    const half = await byPassword(victim.email);
    expect((await signIn(thief.passkey, {}, half.visitor)).heard.status).toBe(400);
    // The thief's own challenge, in the session of the victim's password.
    const own = new PortalVisitor(portal);
    const { sealed, options } = await asked(own, 'session/passkey/options');
    expect((await half.visitor.post('session/passkey', { sealed, ...thief.passkey.get(options) })).status).toBe(400);
    expect(await stageOf(half.visitor)).toBe('CODE_DUE');
    // A challenge for signing in adds no passkey, nor does one of another person.
    const stranger = new SoftPasskey(ownOrigin, handleOf(thief.personId));
    const theirs = await asked(thief.visitor, 'passkeys/options', { current: password });
    const body = { sealed: theirs.sealed, name: 'Mine now', ...stranger.create(theirs.options) };
    expect((await victim.visitor.post('passkeys', body)).status).toBe(400);
    const asSignIn = { sealed, name: 'Mine now', ...stranger.create(options) };
    expect((await thief.visitor.post('passkeys', asSignIn)).status).toBe(400);
  });

  it('a stolen session adds and removes none, and nobody removes another person’s (T-52, T-54)', async () => {
    const [victim, thief] = [await member(), await member()];
    expect((await victim.visitor.post('passkeys/options', {})).status).toBe(400);
    expect((await victim.visitor.post('passkeys/options', { current: 'a guess at a password' })).status).toBe(401);
    const [{ passkeyId }] = (await victim.visitor.get('passkeys')).body as unknown as [{ passkeyId: string }];
    expect((await victim.visitor.post('passkeys/remove', { passkeyId, current: 'a guess at it' })).status).toBe(401);
    expect((await thief.visitor.post('passkeys/remove', { passkeyId, current: password })).status).toBe(404);
    expect((await victim.visitor.post('passkeys/remove', { passkeyId, current: password })).status).toBe(204);
    expect((await signIn(victim.passkey)).heard.status).toBe(401);
    expect((await byPassword(victim.email)).stage).toBe('FULL');
  });

  it('stand in for the own password before a change, once, for their person alone (T-52, T-54)', async () => {
    const { visitor, passkey } = await member();
    const stranger = await member();
    const proof = async (of: SoftPasskey, over: Deviations = {}) => {
      const { sealed, options } = await asked(visitor, 'passkeys/proof/options');
      const { status, body } = await visitor.post('passkeys/proof', { sealed, ...of.get(options, over) });
      return { status, current: String(body['current']) };
    };
    const begins = async (by: PortalVisitor, current: string) => (await by.post('passkeys/options', { current })).status;
    expect((await proof(stranger.passkey)).status).toBe(400);
    expect((await proof(passkey, { isUserVerified: false })).status).toBe(400);
    const { current } = await proof(passkey);
    expect(await begins(stranger.visitor, current)).toBe(400);
    expect(await begins(visitor, current)).toBe(200);
    expect(await begins(visitor, current)).toBe(400);
    const unused = (await proof(passkey)).current;
    expect((await visitor.post('password', { current: unused, next: 'another long sentence' })).status).toBe(401);
    const { sealed, options } = await asked(visitor, 'passkeys/proof/options');
    const elsewhere = new PortalVisitor(portal);
    expect((await elsewhere.post('session/passkey', { sealed, ...passkey.get(options) })).status).toBe(400);
    expect(await begins(visitor, `paycode-proof:${sealed}`)).toBe(400);
  });

  it('guesses at a passkey wait as guesses at a password do (T-05)', async () => {
    const { passkey } = await member();
    const answers: number[] = [];
    for (let tries = 0; tries < 22; tries += 1)
      answers.push((await signIn(passkey, { origin: 'https://evil.example' })).heard.status);
    expect(answers.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 400));
    expect(answers).toContain(429);
  });

  it('a challenge expires, and is one of ours (T-54)', async () => {
    const { passkey } = await member();
    const visitor = new PortalVisitor(portal);
    const { sealed, options } = await asked(visitor, 'session/passkey/options');
    const later = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 300_001);
    const answer = passkey.get(options);
    const late = await visitor.post('session/passkey', { sealed, ...answer });
    later.mockRestore();
    expect([late.status, late.body.message]).toEqual([400, expect.stringContaining('please begin anew')]);
    const forged = `${sealed.slice(0, -8)}AAAAAAAA`;
    expect((await visitor.post('session/passkey', { sealed: forged, ...answer })).status).toBe(400);
  });
});

describe('a passkey in production', () => {
  let portal: RunningPortal;
  beforeAll(async () => {
    portal = await RunningPortal.start({ PAYCODE_ENVIRONMENT: 'production' });
  });
  afterAll(() => portal.stop());

  it('is set up in place of an app by whoever has no second factor yet (T-54)', async () => {
    const hash = await new Passwords().hash(password);
    const [{ person_id: personId }] = await portal.database.dataSource.query<[{ person_id: string }]>(
      `insert into person (email, name, tenant_type, tenant_id, role, password_hash)
       values ('owner@shop.example', 'Thandi', 'MERCHANT', '1001', 'OWNER', $1) returning person_id`,
      [hash],
    );
    const visitor = new PortalVisitor(portal);
    const begun = await visitor.post('session', { email: 'owner@shop.example', password });
    expect(begun.body['stage']).toBe('ENROL_DUE');
    const before = visitor.cookie;
    const passkey = new SoftPasskey(ownOrigin, handleOf(personId));
    const asked = (await visitor.post('passkeys/options')).body as unknown as { sealed: string; options: { challenge: string } };
    const added = await visitor.post('passkeys', { sealed: asked.sealed, name: 'Key', ...passkey.create(asked.options) });
    expect(added.status).toBe(200);
    expect((await visitor.get('session')).body['stage']).toBe('FULL');
    visitor.cookie = before;
    expect((await visitor.get('session')).body['stage']).toBe('NONE');
    const again = await visitor.post('session', { email: 'owner@shop.example', password });
    expect(again.body['stage']).toBe('CODE_DUE');
  });
});

function handleOf(personId: string): string {
  return Buffer.from(personId.replaceAll('-', ''), 'hex').toString('base64url');
}
