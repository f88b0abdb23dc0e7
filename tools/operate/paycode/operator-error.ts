/** The command cannot be carried out; the message is for the user. */
export class OperatorError extends Error {}
