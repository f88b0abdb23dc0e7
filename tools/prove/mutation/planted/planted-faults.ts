import { accessFaults } from './access-faults.ts';
import { alertFaults } from './alert-faults.ts';
import { auditFaults } from './audit-faults.ts';
import { configurationFaults } from './configuration-faults.ts';
import { culpritFaults } from './culprit-faults.ts';
import { deploymentFaults } from './deployment-faults.ts';
import { dispatcherFaults } from './dispatcher-faults.ts';
import { fieldFaults } from './field-faults.ts';
import { gatewayFaults } from './gateway-faults.ts';
import { guessingFaults } from './guessing-faults.ts';
import { inputFaults } from './input-faults.ts';
import { messagesFaults } from './messages-faults.ts';
import type { PlantedFault } from './planted-fault.ts';
import { platformFaults } from './platform-faults.ts';
import { relayFaults } from './relay-faults.ts';
import { sessionFaults } from './session-faults.ts';
import { settlementFaults } from './settlement-faults.ts';
import { simulatorFaults } from './simulator-faults.ts';
import { storageFaults } from './storage-faults.ts';
import { takeoverFaults } from './takeover-faults.ts';

export interface FaultArea {
  area: string;
  /** File of the list, from the root. */
  listFile: string;
  faults: readonly PlantedFault[];
}

const lists = {
  access: accessFaults,
  guessing: guessingFaults,
  session: sessionFaults,
  audit: auditFaults,
  configuration: configurationFaults,
  dispatcher: dispatcherFaults,
  takeover: takeoverFaults,
  culprit: culpritFaults,
  messages: messagesFaults,
  settlement: settlementFaults,
  simulator: simulatorFaults,
  gateway: gatewayFaults,
  relay: relayFaults,
  input: inputFaults,
  field: fieldFaults,
  platform: platformFaults,
  storage: storageFaults,
  alert: alertFaults,
  deployment: deploymentFaults,
};

/** Every committed fault: SQL, settings and wiring, which no mutation tool reaches or judges in useful time. */
export const faultAreas: readonly FaultArea[] = Object.entries(lists).map(([area, faults]) => ({
  area,
  listFile: `tools/prove/mutation/planted/${area}-faults.ts`,
  faults,
}));

/** Where the fault with that id stands. */
export function listFileOf(id: string): string {
  return faultAreas.find(({ faults }) => faults.some(fault => fault.id === id))!.listFile;
}
