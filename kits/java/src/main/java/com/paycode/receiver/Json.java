package com.paycode.receiver;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads JSON (RFC 8259), because the JDK has no parser: objects as Map, arrays as List, numbers as BigDecimal with their digits as sent. */
final class Json {
  private static final Pattern NUMBER = Pattern.compile("-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?");
  private static final int DEPTH_MAX = 64;
  private static final int NUMBER_CHARACTERS_MAX = 64;
  private final String text;
  private int at;
  private int depth;

  private Json(String text) {
    this.text = text;
  }

  /** @throws IllegalArgumentException without the text in its message */
  static Object parse(String text) {
    Json json = new Json(text);
    Object value = json.value();
    if (json.peek() != '\0') throw json.wrong();
    return value;
  }

  private Object value() {
    if (++depth > DEPTH_MAX) throw wrong();
    Object value = switch (peek()) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      case 't' -> literal("true", true);
      case 'f' -> literal("false", false);
      case 'n' -> literal("null", null);
      default -> number();
    };
    depth--;
    return value;
  }

  private Map<String, Object> object() {
    Map<String, Object> members = new LinkedHashMap<>();
    list('}', () -> {
      if (peek() != '"') throw wrong();
      String name = string();
      expect(':');
      return members.put(name, value());
    });
    return members;
  }

  private List<Object> array() {
    List<Object> items = new ArrayList<>();
    list(']', () -> items.add(value()));
    return items;
  }

  private void list(char end, Supplier<Object> item) {
    at++;
    if (peek() != end) {
      do item.get();
      while (took(','));
    }
    expect(end);
  }

  private String string() {
    StringBuilder result = new StringBuilder();
    for (at++; ; at++) {
      char letter = at < text.length() ? text.charAt(at) : '\0';
      if (letter < ' ') throw wrong();
      if (letter == '"') break;
      result.append(letter == '\\' ? escaped() : letter);
    }
    at++;
    return result.toString();
  }

  private char escaped() {
    char letter = ++at < text.length() ? text.charAt(at) : '\0';
    int plain = "\"\\/bfnrt".indexOf(letter);
    if (plain >= 0) return "\"\\/\b\f\n\r\t".charAt(plain);
    if (letter != 'u' || at + 4 >= text.length()) throw wrong();
    at += 4;
    return (char) Integer.parseInt(text.substring(at - 3, at + 1), 16);
  }

  private BigDecimal number() {
    Matcher matcher = NUMBER.matcher(text).region(at, text.length());
    if (!matcher.lookingAt() || matcher.end() - at > NUMBER_CHARACTERS_MAX) throw wrong();
    at = matcher.end();
    return new BigDecimal(matcher.group());
  }

  private Object literal(String word, Object value) {
    if (!text.startsWith(word, at)) throw wrong();
    at += word.length();
    return value;
  }

  private boolean took(char wanted) {
    if (peek() != wanted) return false;
    at++;
    return true;
  }

  private void expect(char wanted) {
    if (!took(wanted)) throw wrong();
  }

  /** The next character that is no white space; NUL at the end. */
  private char peek() {
    while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) at++;
    return at < text.length() ? text.charAt(at) : '\0';
  }

  private IllegalArgumentException wrong() {
    return new IllegalArgumentException("not JSON at character " + at);
  }
}
