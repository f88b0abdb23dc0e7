/** The logger of the transports (pino fits). Fields are ids, counts and errors, never payload (T-17). */
export interface TransportLog {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}
