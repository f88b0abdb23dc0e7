export { storedMessages } from './stored-messages';
