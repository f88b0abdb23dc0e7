/** Lets one loop sleep until somebody wakes it or a time has passed. A wake before the wait is remembered. */
export class Wakeup {
  private isRung = false;
  private release?: () => void;

  wake(): void {
    this.isRung = true;
    this.release?.();
  }

  /** `timeoutMs` may be Infinity. Only one caller may wait at a time. Whether somebody woke it. */
  async wait(timeoutMs: number): Promise<boolean> {
    if (!this.isRung && timeoutMs > 0) await this.sleep(timeoutMs);
    const { isRung } = this;
    this.isRung = false;
    return isRung;
  }

  private sleep(timeoutMs: number): Promise<void> {
    return new Promise(resolve => {
      const timer = Number.isFinite(timeoutMs) ? setTimeout(() => this.release?.(), timeoutMs) : undefined;
      this.release = () => {
        clearTimeout(timer);
        this.release = undefined;
        resolve();
      };
    });
  }
}
