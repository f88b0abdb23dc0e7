import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Origin } from '../audit';
import { ClientSecrets } from '../identity-providers/identity-providers.service';
import { newSecret, secretHash } from '../people/secrets';
import { mailsPerHourMax } from './alert.store';
import { deviceOf } from './domain/device';

/** The latest devices of a person that are known. */
const devicesMax = 20;

/** $1: the person, $2: the hash of the device's cookie, $3: the instant. */
const deviceSql = {
  // Of a device that is not known, to a person with another one: nobody is mailed about the first sign-in.
  mail: `
    insert into alert_mail (alert_id, person_id, kind, about, token_hash, secret_sealed, created_at)
    select gen_random_uuid(), $1::uuid, 'NEW_DEVICE', $4::jsonb, $5::bytea, $6, $3::timestamptz
     where exists (select from known_device where person_id = $1)
       and not exists (select from known_device where person_id = $1 and device_hash = $2)
       and (select count(*) from alert_mail m where m.person_id = $1 and m.kind = 'NEW_DEVICE'
               and m.created_at > $3::timestamptz - interval '1 hour') < ${mailsPerHourMax}`,
  note: `
    insert into known_device (person_id, device_hash, seen_at) values ($1, $2, $3)
    on conflict (person_id, device_hash) do update set seen_at = excluded.seen_at`,
  forget: `
    delete from known_device where person_id = $1 and device_hash in (
      select device_hash from known_device where person_id = $1 order by seen_at desc offset ${devicesMax})`,
} as const;

/** The browsers from which each person has signed in. */
@Injectable()
export class DeviceStore {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: ClientSecrets,
  ) {}

  /**
   * Notes the device from which a person signs in, with the mail about a new one. Returns the secret for its cookie. `at`: the instant, for tests;
   * the database's clock says it otherwise.
   */
  async signedIn(personId: string, origin: Origin, at?: Date): Promise<string> {
    const [device, secret] = [origin.device ?? newSecret(), newSecret()];
    await this.dataSource.transaction(async manager => {
      const now = at ?? (await manager.query<{ now: Date }[]>('select clock_timestamp() as now'))[0]!.now;
      const known = [personId, secretHash(device), now];
      const about = {
        kind: 'NEW_DEVICE',
        merchantId: null,
        payments: 0,
        sinceAt: now.toISOString(),
        sums: [],
        device: deviceOf(origin),
      };
      await manager.query(deviceSql.mail, [...known, JSON.stringify(about), secretHash(secret), this.secrets.seal(secret)]);
      await manager.query(deviceSql.note, known);
      await manager.query(deviceSql.forget, [personId]);
    });
    return device;
  }
}
