/** A seeded random generator (sfc32), the only one that a simulation may use, so that a seed replays exactly. */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  constructor(seed: number) {
    this.a = 0x9e3779b9;
    this.b = seed | 0;
    this.c = (seed / 0x1_0000_0000) | 0;
    for (let turn = 0; turn < 12; turn++) this.next();
  }

  /** Uniform in [0, 1). */
  next(): number {
    const sum = (this.a + this.b + this.counter++) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + sum;
    return (sum >>> 0) / 0x1_0000_0000;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Uniform in [min, max). */
  between(min: number, max: number): number {
    return min + this.next() * (max - min);
  }

  /** Whole number in [min, max]. */
  integer(min: number, max: number): number {
    return Math.floor(this.between(min, max + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[this.integer(0, items.length - 1)]!;
  }

  /** Mostly small, sometimes large: a delay of `typicalMs`, one time in `rarity` up to `worstMs`. */
  delay(typicalMs: number, { worstMs, rarity }: { worstMs: number; rarity: number }): number {
    return this.chance(1 / rarity) ? this.between(typicalMs, worstMs) : this.between(typicalMs / 2, typicalMs * 2);
  }
}
