import type { MerchantRecord } from '@paycode/dto';
import type { AccountWithPassword } from '../demo-data';
import { displayPath, type HomeFolder, readIfPresent, writePrivateFile } from '../home';
import { internalUrlOf } from './services';
import { type PlatformPorts, type ServiceName, serviceNames } from './ports';

/** `.paycode/standalone.json` (architecture 7): the data that a demo, a test or a person needs to use the running platform. */
export interface StandaloneFile {
  baseUrl: string;
  caFile: string;
  environment: 'sandbox';
  internal: Record<ServiceName, string>;
  operatorTokenFile: string;
  accounts: AccountWithPassword[];
  merchants: Pick<MerchantRecord, 'merchantId' | 'pspId' | 'status'>[];
  /** Process ids: the platform's own and each service's. */
  processes: Record<string, number>;
}

export interface StandaloneFacts {
  ports: PlatformPorts;
  caFile: string;
  accounts: AccountWithPassword[];
  merchants: MerchantRecord[];
  processes: Record<string, number>;
}

export function writeStandaloneFile(home: HomeFolder, facts: StandaloneFacts): void {
  const file: StandaloneFile = {
    baseUrl: `https://localhost:${facts.ports.gateway}`,
    caFile: displayPath(facts.caFile),
    environment: 'sandbox',
    internal: Object.fromEntries(
      serviceNames.map(name => [name, internalUrlOf(facts.ports, name)]),
    ) as StandaloneFile['internal'],
    operatorTokenFile: displayPath(home.operatorTokenFile),
    accounts: facts.accounts,
    merchants: facts.merchants.map(({ merchantId, pspId, status }) => ({ merchantId, pspId, status })),
    processes: { standalone: process.pid, ...facts.processes },
  };
  writePrivateFile(home.standaloneFile, `${JSON.stringify(file, null, 2)}\n`);
}

/** Accounts of an earlier start; none when there was none or its file cannot be read. */
export function knownAccounts(home: HomeFolder): AccountWithPassword[] {
  const text = readIfPresent(home.standaloneFile);
  if (!text) return [];
  try {
    return (JSON.parse(text) as StandaloneFile).accounts;
  } catch (cause) {
    throw new Error(`${home.standaloneFile} is damaged; npm start -- --fresh deletes all data and begins again`, { cause });
  }
}
