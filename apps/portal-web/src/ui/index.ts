export { AnswerChart, AnswerTable, TimeChart } from './answer-chart';
export { Callout, type Look } from './callout';
export { Failure, NotHere, Waiting } from './failure';
export { Icon, Logo } from './icon';
export { MerchantChoice } from './merchant-choice';
export {
  answerName,
  answers,
  Code,
  Confirm,
  CopyButton,
  Facts,
  Field,
  Moment,
  Money,
  type Outcome,
  outcomeName,
  OutcomeTag,
  Secret,
} from './parts';
export { type Column, Table } from './table';
