import type { MerchantRecord } from '@paycode/dto';
import type { AccountWithPassword, PersonWithPassword } from '../demo-data/demo-data';
import { displayPath, type HomeFolder, readWhole, writePrivateFile } from '../home/home-folder';
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
  /** People of the web portal, `consoleUrl`. */
  people: readonly PersonWithPassword[];
  consoleUrl: string;
  merchants: Pick<MerchantRecord, 'merchantId' | 'pspId' | 'status'>[];
  /** Process ids: the platform's own and each service's. */
  processes: Record<string, number>;
}

export interface StandaloneFacts {
  ports: PlatformPorts;
  caFile: string;
  accounts: AccountWithPassword[];
  people: readonly PersonWithPassword[];
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
    people: facts.people,
    consoleUrl: `https://localhost:${facts.ports.gateway}/console/`,
    merchants: facts.merchants.map(({ merchantId, pspId, status }) => ({ merchantId, pspId, status })),
    processes: { standalone: process.pid, ...facts.processes },
  };
  writePrivateFile(home.standaloneFile, `${JSON.stringify(file, null, 2)}\n`);
}

/** Accounts and people of an earlier start; none when there was none. */
export function knownLogins(home: HomeFolder): Pick<StandaloneFile, 'accounts' | 'people'> {
  // Accounts and people get new passwords when the file is gone.
  const text = readWhole(home.standaloneFile, isStandaloneFile, 'DELETE');
  const { accounts = [], people = [] } = text === undefined ? {} : (JSON.parse(text) as Partial<StandaloneFile>);
  return { accounts, people };
}

function isStandaloneFile(text: string): boolean {
  const { accounts = [], people = [] } = JSON.parse(text) as Partial<Record<'accounts' | 'people', unknown>>;
  const logins = [accounts, people];
  return logins.every(
    list => Array.isArray(list) && list.every(login => typeof (login as { password: unknown }).password === 'string'),
  );
}
