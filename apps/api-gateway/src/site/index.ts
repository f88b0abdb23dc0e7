export { Site } from './site';
