import { undoneAfterEach } from '@paycode/service-runtime/testing';
import { describeEntities } from '@paycode/persistence/testing';
import { LoginClient } from './testing/login-client';
import { basic, TestAuthSession } from './testing/test-service';
import { PurgeJob } from './purge.job';
import { migrations } from '../migrations';
import { entities } from './entities';

describe('housekeeping', () => {
  const later = undoneAfterEach();

  it('removes expired rows and nothing else; rows of the security log stay for a year', async () => {
    const service = await TestAuthSession.start();
    later(() => service.stop());
    const client = new LoginClient(service);
    const account = await client.bearerAccount({ type: 'PSP', id: 1 }, false);
    await client.passwordLogin(account);
    await client.challenge('psp-1');
    await service.authorize({ authorization: [basic('psp-1', 'wrong')] });
    const purge = (await service.addReplica()).app.get(PurgeJob);
    const counts = async () =>
      (
        await service.database.dataSource.query<{ counts: number[] }[]>(
          `select array[(select count(*) from session), (select count(*) from login_challenge), (select count(*) from guess_count)]::int[] counts`,
        )
      )[0]!.counts;
    await purge.run();
    expect(await counts()).toEqual([1, 1, 4]);
    // A session that is still open outlives every purge (R-8-3).
    service.clock.advance(10 * 60_000);
    await purge.run();
    expect((await counts())[0]).toBe(1);
    service.clock.advance(2 * 86_400_000);
    await purge.run();
    expect(await counts()).toEqual([0, 0, 0]);
    const [{ count }] = await service.database.dataSource.query<[{ count: string }]>('select count(*) from security_event');
    expect(Number(count)).toBeGreaterThan(3);
  });
});

describe('entities of auth-session', () => describeEntities(entities, migrations));
