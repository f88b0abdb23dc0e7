/** A first-in, first-out queue in an array: add and take in amortised constant time. */
export class FifoQueue<T> {
  private items: T[] = [];
  /** Items before this index are taken. */
  private head = 0;

  get length(): number {
    return this.items.length - this.head;
  }

  add(item: T): void {
    this.items.push(item);
  }

  take(): T | undefined {
    const item = this.items[this.head];
    if (this.length > 0) this.skip(1);
    return item;
  }

  remove(isGone: (item: T) => boolean): T[] {
    const waiting = this.items.slice(this.head);
    this.items = waiting.filter(item => !isGone(item));
    this.head = 0;
    return waiting.filter(isGone);
  }

  private skip(count: number): void {
    this.head += count;
    if (this.head < 32 || this.head * 2 < this.items.length) return;
    this.items = this.items.slice(this.head);
    this.head = 0;
  }
}
