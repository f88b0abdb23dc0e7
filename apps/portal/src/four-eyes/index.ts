export * from './four-eyes.module';
export { FourEyesService, type Overview, type RequestReport, type Subject } from './four-eyes.service';
