import { laneOf } from '../../../../apps/webhook-dispatcher/src/lanes/lane-of';

const lanesSimulated = 8;
export const simulatedLanes = Array.from({ length: lanesSimulated }, (_, lane) => lane);

export const merchants = [
  { merchantId: 1, origin: 'https://a.example.com' },
  { merchantId: 2, origin: 'https://b.example.com' },
  { merchantId: 3, origin: 'https://c.example.com' },
  { merchantId: 4, origin: null },
];

/** Transaction ids whose lanes are the simulated ones; found once per program. */
const idsOfFewLanes: number[] = [];

export function transactionIdAt(index: number): number {
  for (let id = (idsOfFewLanes.at(-1) ?? 100_000) + 1; idsOfFewLanes.length <= index; id++) {
    if (laneOf(id) < lanesSimulated) idsOfFewLanes.push(id);
  }
  return idsOfFewLanes[index]!;
}
