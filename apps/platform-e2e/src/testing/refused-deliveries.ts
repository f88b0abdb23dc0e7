import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';

/** Lets the dispatcher's database refuse what comes for one merchant, as a wrong schema would; gives the repair. */
export async function refuseDeliveriesOf(merchantId: number): Promise<() => Promise<void>> {
  const rule = `no_delivery_${merchantId}`;
  await changed(`alter table delivery add constraint ${rule} check (merchant_id <> ${merchantId}) not valid`);
  return () => changed(`alter table delivery drop constraint if exists ${rule}`);
}

async function changed(statement: string): Promise<void> {
  const file = join(process.env['PAYCODE_E2E_HOME']!, 'secrets/database-url-webhook-dispatcher');
  const client = new Client({ connectionString: readFileSync(file, 'utf8').trim() });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
