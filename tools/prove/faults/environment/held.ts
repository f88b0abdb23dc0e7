/** A point at which traffic is held until it is let go: the place where a process can be killed or paused exactly. */
export class Held {
  /** Resolves once something is held. */
  readonly reached: Promise<void>;
  private readonly letGo: Promise<void>;
  private resolveReached!: () => void;
  private resolveLetGo!: () => void;
  private isOpen = false;

  constructor() {
    this.reached = new Promise(resolve => (this.resolveReached = resolve));
    this.letGo = new Promise(resolve => (this.resolveLetGo = resolve));
  }

  /** Everything held, and everything that comes, passes from now on. */
  release(): void {
    this.isOpen = true;
    this.resolveLetGo();
  }

  /** What passes the point waits here. */
  async pass(): Promise<void> {
    if (this.isOpen) return;
    this.resolveReached();
    await this.letGo;
  }
}
