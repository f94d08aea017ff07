package kassay;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON as maps, lists, strings, Longs, Doubles, Booleans and null; nothing but the JDK. */
final class Json {
    private static final String IN_NUMBERS = "+-.eE0123456789";
    /** So many digits may be more than a long holds. */
    private static final int LONGEST = 19;

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** The value that the text spells; throws IllegalArgumentException, which says where. */
    static Object read(String text) {
        Json json = new Json(text);
        Object value = json.value();
        json.blanks();
        if (json.at < text.length()) {
            throw json.wrong("nothing more");
        }
        return value;
    }

    /**
     * Append the value's spelling; what is none of the types above is spelled as the text that it shows. What an
     * answer holds by the thousand comes first: whether an object is of a class is known sooner than whether it is
     * of an interface.
     */
    static void write(Object value, StringBuilder out) {
        if (value instanceof String) {
            quote((String) value, out);
        } else if (value == null || value instanceof Integer || value instanceof Long || value instanceof Boolean) {
            out.append(value);
        } else if (value instanceof Iterable) {
            char separator = '[';
            for (Object item : (Iterable<?>) value) {
                out.append(separator);
                write(item, out);
                separator = ',';
            }
            out.append(separator == '[' ? "[]" : "]");
        } else if (value instanceof Map) {
            char separator = '{';
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                out.append(separator);
                quote(String.valueOf(entry.getKey()), out);
                out.append(':');
                write(entry.getValue(), out);
                separator = ',';
            }
            out.append(separator == '{' ? "{}" : "}");
        } else if (value instanceof Double && Double.isFinite((Double) value)) {
            out.append(value);
        } else {
            quote(value.toString(), out);
        }
    }

    private static void quote(String text, StringBuilder out) {
        int plain = 0;
        while (plain < text.length() && isPlain(text.charAt(plain))) {
            plain++;
        }
        out.append('"');
        if (plain == text.length()) {
            out.append(text);
        } else {
            for (int i = 0; i < text.length(); i++) {
                escape(text.charAt(i), out);
            }
        }
        out.append('"');
    }

    private static boolean isPlain(char c) {
        return c >= ' ' && c <= '~' && c != '"' && c != '\\';
    }

    private static void escape(char c, StringBuilder out) {
        if (isPlain(c)) {
            out.append(c);
        } else if (c == '"' || c == '\\') {
            out.append('\\').append(c);
        } else {
            out.append(String.format("\\u%04x", (int) c));
        }
    }

    private Object value() {
        blanks();
        char c = at < text.length() ? text.charAt(at) : 0;
        switch (c) {
            case '{':
                return object();
            case '[':
                return list();
            case '"':
                return string();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", null);
            default:
                return number();
        }
    }

    private Map<String, Object> object() {
        Map<String, Object> fields = new LinkedHashMap<>();
        at++;
        if (next('}')) {
            return fields;
        }
        do {
            blanks();
            String key = string();
            expect(':');
            fields.put(key, value());
        } while (next(','));
        expect('}');
        return fields;
    }

    private List<Object> list() {
        List<Object> items = new ArrayList<>();
        at++;
        if (next(']')) {
            return items;
        }
        do {
            items.add(value());
        } while (next(','));
        expect(']');
        return items;
    }

    private String string() {
        if (at >= text.length() || text.charAt(at) != '"') {
            throw wrong("a text");
        }
        int start = ++at;
        while (at < text.length() && text.charAt(at) != '"' && text.charAt(at) != '\\') {
            at++;
        }
        if (at < text.length() && text.charAt(at) == '"') {
            return text.substring(start, at++);
        }
        StringBuilder built = new StringBuilder(text.substring(start, at));
        while (at < text.length() && text.charAt(at) != '"') {
            char c = text.charAt(at++);
            built.append(c == '\\' ? escaped() : c);
        }
        expect('"');
        return built.toString();
    }

    private char escaped() {
        char c = at < text.length() ? text.charAt(at++) : 0;
        int control = "bfnrt".indexOf(c);
        if (control >= 0) {
            return "\b\f\n\r\t".charAt(control);
        }
        if (c != 'u') {
            return c;
        }
        if (at + 4 > text.length()) {
            throw wrong("four digits");
        }
        char code = (char) Integer.parseInt(text.substring(at, at + 4), 16);
        at += 4;
        return code;
    }

    private Object number() {
        int start = at;
        long sum = 0;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            sum = 10 * sum + text.charAt(at++) - '0';
        }
        boolean ends = at == text.length() || IN_NUMBERS.indexOf(text.charAt(at)) < 0;
        return at > start && at - start < LONGEST && ends ? (Object) sum : any(start);
    }

    /** A number that has a sign, a fraction or an exponent, or is long. */
    private Object any(int start) {
        boolean whole = true;
        while (at < text.length() && IN_NUMBERS.indexOf(text.charAt(at)) >= 0) {
            whole &= ".eE".indexOf(text.charAt(at++)) < 0;
        }
        if (start == at) {
            throw wrong("a value");
        }
        String spelt = text.substring(start, at);
        return whole ? (Object) Long.valueOf(spelt) : (Object) Double.valueOf(spelt);
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw wrong("a value");
        }
        at += word.length();
        return value;
    }

    private boolean next(char c) {
        blanks();
        if (at >= text.length() || text.charAt(at) != c) {
            return false;
        }
        at++;
        return true;
    }

    private void expect(char c) {
        if (!next(c)) {
            throw wrong(String.valueOf(c));
        }
    }

    private void blanks() {
        while (at < text.length() && text.charAt(at) <= ' ') {
            at++;
        }
    }

    private IllegalArgumentException wrong(String expected) {
        return new IllegalArgumentException("no JSON at " + at + ": expected " + expected);
    }
}
