export { storedMessages } from './stored-messages.sql';
