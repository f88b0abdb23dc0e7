import { register } from 'prom-client';
import { eventually } from '@paycode/service-runtime/testing';
import { RawReceiver } from '@paycode/safe-http/testing';
import { notification } from '../testing/notification';
import { DispatcherRig } from '../testing/running-dispatcher';
import { WireReceiver } from '../testing/wire-receiver';

describe('a mail server that takes connections and says nothing', () => {
  let rig: DispatcherRig;
  let dead: RawReceiver;
  let receiver: WireReceiver;

  beforeAll(async () => {
    [rig, dead, receiver] = await Promise.all([DispatcherRig.open(), RawReceiver.start(() => undefined), WireReceiver.start()]);
    await rig.start({ SMTP_HOST: '127.0.0.1', SMTP_PORT: String(dead.port), SMTP_SECURITY: 'none' });
  });
  afterAll(async () => {
    await dead.stop();
    await rig.close();
    await receiver.stop();
  });

  it('delays no webhook: payments settle while every e-mail still waits (R-1-8, R-6.2-3)', async () => {
    const ids = Array.from({ length: 20 }, (_, i) => 9_000 + i);
    rig.route(1_001, receiver.url);
    rig.neighbours.routes.set(1_001, { ...rig.neighbours.routes.get(1_001), emails: ['ops@shop.example'] });
    await rig.publish(...ids.map(id => rig.terminal(notification(id))));
    for (const id of ids) expect(await rig.verdict(id)).toBe('ACKED_HTTP');
    await eventually(() => expect(dead.connections).toBeGreaterThan(0));
    const states = () => rig.database.dataSource.query<{ state: string }[]>('select distinct state from recipient_message');
    expect(await states()).toEqual([{ state: 'PENDING' }]);
    const [{ count } = { count: '0' }] = await rig.database.dataSource.query<{ count: string }[]>(
      'select count(*) from recipient_message',
    );
    expect(Number(count)).toBe(ids.length);
    expect(await register.metrics()).toContain(`recipient_messages_waiting{channel="EMAIL"} ${ids.length}`);
  });
});
