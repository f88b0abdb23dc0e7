const colours = { dim: '2', good: '32', bad: '31', strong: '1' } as const;

/** Prints the story of a demo, with the time since its chapter began. */
export class Narrator {
  private startedAt = performance.now();
  private readonly isColoured = process.stdout.isTTY && !process.env['NO_COLOR'];

  chapter(title: string): void {
    this.startedAt = performance.now();
    this.print(`\n${this.paint(title, 'strong')}\n${'-'.repeat(title.length)}`);
  }

  /** One thing that happened, by whom. */
  step(who: string, text: string): void {
    const seconds = `${((performance.now() - this.startedAt) / 1_000).toFixed(2)} s`;
    this.print(`${this.paint(seconds.padStart(8), 'dim')}  ${who.padEnd(9)} ${text}`);
  }

  /** Lines that belong to the last step. */
  detail(text: string): void {
    this.print(text.replace(/^/gm, `${' '.repeat(20)}${this.isColoured ? '\x1b[2m' : ''}`) + (this.isColoured ? '\x1b[0m' : ''));
  }

  result(text: string, isGood: boolean): void {
    this.print(this.paint(text, isGood ? 'good' : 'bad'));
  }

  print(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  private paint(text: string, colour: keyof typeof colours): string {
    return this.isColoured ? `\x1b[${colours[colour]}m${text}\x1b[0m` : text;
  }
}
