import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The messages that a standalone platform wrote to its outbox folder. */
export class OutboxFolder {
  constructor(private readonly home: string) {}

  /** Messages of a kind that hold every one of the texts. */
  find(kind: 'email' | 'sms', ...texts: string[]): string[] {
    return this.all(kind).filter(message => texts.every(text => message.includes(text)));
  }

  private all(kind: string): string[] {
    const folder = join(this.home, 'outbox', kind);
    try {
      const names = readdirSync(folder).filter(name => !name.startsWith('.'));
      return names.map(name =>
        readFileSync(join(folder, name), 'utf8')
          .replace(/=\r?\n/g, '')
          .replace(/(=[89A-F][0-9A-F])+/g, bytes => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString())
          .replaceAll('=3D', '='),
      );
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }
}
