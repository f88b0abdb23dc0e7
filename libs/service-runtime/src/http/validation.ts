import { BadRequestException, ValidationPipe } from '@nestjs/common';
import type { FieldError } from '@paycode/dto';
import type { ValidationError } from 'class-validator';

/** Rules about what a value is. While one of them fails, rules about its size or form say nothing useful. */
const typeRules = ['isDefined', 'isNotEmpty', 'isInt', 'isNumber', 'isString', 'isBoolean', 'isArray', 'isObject', 'isEnum'];

/** Flattens nested class-validator errors to `field.path` + rule, the type rule alone when it fails. Values are never echoed. */
export function fieldErrors(errors: readonly ValidationError[], prefix = ''): FieldError[] {
  return errors.flatMap(error => {
    const field = prefix + error.property;
    const own = messagesOf(error.constraints ?? {}).map(message => ({ field, message }));
    return [...own, ...fieldErrors(error.children ?? [], `${field}.`)];
  });
}

function messagesOf(constraints: Record<string, string>): string[] {
  const type = typeRules.find(rule => rule in constraints);
  return type ? [constraints[type]!] : Object.values(constraints);
}

/** Body and query validation: strict types, unknown fields ignored, every problem named. */
export function validationPipe(): ValidationPipe {
  return new ValidationPipe({
    transform: true,
    whitelist: true,
    transformOptions: { enableImplicitConversion: false },
    validationError: { target: false, value: false },
    exceptionFactory: errors => {
      const problems = fieldErrors(errors);
      return new BadRequestException({ message: problems[0]?.message ?? 'invalid request', errors: problems });
    },
  });
}
