/** One budget for several steps, on the monotonic clock. */
export class Deadline {
  private readonly endsAt: number;

  constructor(budgetMs: number) {
    this.endsAt = performance.now() + budgetMs;
  }

  get leftMs(): number {
    return Math.max(0, this.endsAt - performance.now());
  }

  /** Runs one step. When the budget ends first, rejects with what `expire` gives, which also gives up the step. */
  async bound<T>(step: Promise<T>, expire: () => Error): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(expire()), this.leftMs);
    });
    try {
      return await Promise.race([step, expired]);
    } finally {
      clearTimeout(timer);
    }
  }
}
