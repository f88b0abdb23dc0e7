/** The faults of a simulation (section 4 of the protocol, and the failures of receivers). */
export const faultKinds = [
  'statement lost',
  'statement done, answer lost',
  'call lost',
  'call done, answer lost',
  'call arrives twice',
  'message late',
  'statements reordered',
  'calls reordered',
  'event late',
  'event twice',
  'event lost',
  'offset not committed',
  'AckReceived published twice',
  'ReversalRequested twice',
  'crash at an await',
  'life session ended',
  'dispatcher killed',
  'scheduler killed',
  'clean restart',
  'dispatcher paused',
  'scheduler paused',
  'dispatcher database down',
  'scheduler database down',
  'notification-config down',
  'event log down',
  'endpoint paused',
  'partitions move',
  'shard taken from a live owner',
  'wall clock step',
  'key renewed',
  'getNotification',
  'receiver slow',
  'receiver edge',
  'receiver late',
  'receiver refusing',
  'receiver hanging',
  'receiver reset',
  'receiver unreachable',
  'receiver stale',
  'receiver ourFault',
  'receiver ourFaultAfterSend',
  'neighbour silent',
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** How often each fault happened; a fault that is only planned proves nothing. */
export class FaultCounts {
  private readonly counts = new Map<FaultKind, number>();

  add(kind: FaultKind, times = 1): void {
    this.counts.set(kind, this.of(kind) + times);
  }

  addAll(other: FaultCounts): void {
    for (const [kind, times] of other.counts) this.add(kind, times);
  }

  of(kind: FaultKind): number {
    return this.counts.get(kind) ?? 0;
  }

  toJSON(): Record<string, number> {
    return Object.fromEntries(faultKinds.filter(kind => this.of(kind) > 0).map(kind => [kind, this.of(kind)]));
  }

  get missing(): FaultKind[] {
    return faultKinds.filter(kind => this.of(kind) === 0);
  }
}
