/** A point at which traffic is held until its release, so that a process can be killed or paused exactly there. */
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

  /** Releases the held traffic; later traffic passes. */
  release(): void {
    this.isOpen = true;
    this.resolveLetGo();
  }

  /** Waits at the point until the release. */
  async pass(): Promise<void> {
    if (this.isOpen) return;
    this.resolveReached();
    await this.letGo;
  }
}
