export { AnswerChart, AnswerTable, TimeChart } from './answer-chart';
export { Failure, NotHere, Waiting } from './failure';
export { Icon, Logo } from './icon';
export { MerchantChoice } from './merchant-choice';
export {
  answerName,
  answers,
  Callout,
  Choice,
  Code,
  Confirm,
  CopyButton,
  Facts,
  Field,
  Form,
  type Look,
  Moment,
  Money,
  type Outcome,
  outcomeName,
  OutcomeTag,
  roleName,
  Secret,
  useModal,
} from './parts';
export { type Column, Table } from './table';
