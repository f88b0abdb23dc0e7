/**
 * Route lease (architecture 4). A dispatcher may start requests on a route for `leaseMs`, counted on its own monotonic clock from *before*
 * it asked. A dispatcher that got the old route asked before the change was committed. So its lease ends at most `leaseMs` after the
 * commit, for every replica and however long the answer took. Waiting that long after the commit therefore needs no record of leases.
 */
export class RouteLease {
  constructor(readonly leaseMs: number) {}

  /** Call after the commit; when it resolves, no dispatcher may start a request on the replaced route. */
  async runsOut(): Promise<void> {
    // Timers may fire up to a millisecond early, and clocks of two machines differ a little in rate.
    await new Promise(resolve => setTimeout(resolve, Math.ceil(this.leaseMs * 1.01) + 2));
  }
}
