export { ProbingModule, type ProbingSettings } from './probing.module';
export { ValidateUrlService } from './validate-url.service';
