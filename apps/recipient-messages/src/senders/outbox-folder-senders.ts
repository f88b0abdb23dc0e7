import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import nodemailer from 'nodemailer';
import type { EmailText } from '../messages/domain/message';
import { MessageSender, type Sending } from './message.sender';
import { mailOf } from './smtp-email.sender';

/** Writes each e-mail as an .eml file, which mail programs can open, instead of sending it. */
export class FolderEmailSender extends MessageSender<EmailText> {
  private readonly composer = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'unix' });

  constructor(
    private readonly folder: string,
    private readonly from: string,
  ) {
    super();
  }

  override async send({ recipient, text, reference }: Sending<EmailText>): Promise<void> {
    const { message } = await this.composer.sendMail(mailOf({ from: this.from, recipient, text, reference }));
    await writeWhole(join(this.folder, 'email'), `${reference}.eml`, message as Buffer);
  }

  override async close(): Promise<void> {
    this.composer.close();
  }
}

/** Writes each short message as a text file. */
export class FolderSmsSender extends MessageSender<string> {
  constructor(
    private readonly folder: string,
    private readonly from: string,
  ) {
    super();
  }

  override send({ recipient, text, reference }: Sending<string>): Promise<void> {
    return writeWhole(join(this.folder, 'sms'), `${reference}.txt`, `From: ${this.from}\nTo: ${recipient}\n\n${text}\n`);
  }

  override async close(): Promise<void> {}
}

/** Writes a file atomically, so that readers of the folder see complete files only. */
async function writeWhole(folder: string, name: string, content: Buffer | string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const hidden = join(folder, `.${name}`);
  await writeFile(hidden, content, { mode: 0o600 });
  await rename(hidden, join(folder, name));
}
