import type { RankedReceiver } from '../portal-api';

type LastAnswer = RankedReceiver['lastAnswer'];

const advice: Record<LastAnswer, [wrong: string, toDo: string]> = {
  NON_200: ['Answers other than HTTP 200', 'Ask the shop for its log: often a body parser or an old key.'],
  CONNECTION: ['Cannot be reached', 'Press Check on its server page: it names what stands in the way.'],
  TIMEOUT: ['No answer in 45 s', 'Its server must answer first, and work afterwards.'],
  NEVER_SENT: ['Was not asked in time', 'The platform had no turn for it: ask its operators.'],
  BACKSTOP: ['No answer known at the deadline', 'Ask the operators of the platform.'],
  HTTP_200: ['Well again', 'Some payments of today were given back before.'],
  READ: ['Reads its payments itself', 'The server did not answer, a program fetched the notification.'],
};

/** The fault of a server that answered so last, and what helps. */
export const adviceOn = (answer: LastAnswer): { wrong: string; toDo: string } => {
  const [wrong, toDo] = advice[answer];
  return { wrong, toDo };
};
