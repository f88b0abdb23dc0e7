import { optionsOfProgram } from '../arguments';
import type { Command } from './command';
import { codesCommand } from './codes-command';
import { completionCommand } from './completion-command';
import { eventsCommand, listenCommand } from './listen-command';
import { loginCommand, logoutCommand } from './login-command';
import { notificationsCommand } from './notifications-command';
import { triggerCommand } from './trigger-command';

const platformCommands = [
  loginCommand,
  logoutCommand,
  notificationsCommand,
  codesCommand,
  triggerCommand,
  listenCommand,
  eventsCommand,
];
const completed = platformCommands.map(({ name, firstWords = [], options, flags = [] }) => {
  return { name, firstWords, options: [...options, ...flags] };
});

/** The commands that talk to a platform, and completion. */
export const commands: readonly Command[] = [
  ...platformCommands,
  completionCommand([
    ...completed,
    { name: 'verify', firstWords: [], options: optionsOfProgram.verify },
    { name: 'decrypt', firstWords: [], options: optionsOfProgram.decrypt },
  ]),
];
