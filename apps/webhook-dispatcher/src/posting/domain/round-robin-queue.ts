/** The items that wait for one endpoint. */
interface Place<T> {
  endpoint: string;
  waiting: T[];
}

/**
 * Items that wait per endpoint; the queue serves the endpoints in turn. It alternates between endpoints that answered recently and all
 * others, so ten thousand hanging endpoints do not make a working one wait for ten thousand turns.
 */
export class RoundRobinQueue<T> {
  private readonly rows = [new Map<string, Place<T>>(), new Map<string, Place<T>>()] as const;
  private servedLast: 0 | 1 = 0;

  get isEmpty(): boolean {
    return this.rows[0].size + this.rows[1].size === 0;
  }

  add(endpoint: string, item: T, hasAnswered: boolean): void {
    const row = this.rows[hasAnswered ? 0 : 1];
    const place = row.get(endpoint) ?? { endpoint, waiting: [] };
    place.waiting.push(item);
    row.set(endpoint, place);
  }

  /** Takes the item that has waited longest for that endpoint. */
  takeAt(endpoint: string): T | undefined {
    for (const row of this.rows) {
      const place = row.get(endpoint);
      if (place) return this.takeFrom(row, place);
    }
    return undefined;
  }

  /** Takes the item whose turn it is. */
  take(): T | undefined {
    this.servedLast = this.servedLast === 0 ? 1 : 0;
    const other = this.servedLast === 0 ? 1 : 0;
    const row = this.rows[this.servedLast].size > 0 ? this.rows[this.servedLast] : this.rows[other];
    const [place] = row.values();
    if (!place) return undefined;
    // The endpoint moves to the end of its group.
    row.delete(place.endpoint);
    row.set(place.endpoint, place);
    return this.takeFrom(row, place);
  }

  private takeFrom(row: Map<string, Place<T>>, place: Place<T>): T {
    const item = place.waiting.shift()!;
    if (place.waiting.length === 0) row.delete(place.endpoint);
    return item;
  }
}
