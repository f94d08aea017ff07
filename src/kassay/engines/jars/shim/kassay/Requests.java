package kassay;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Lines of a stream, read by the block: most of a request of a large group are bytes that nobody looks at one by one. */
final class Requests {
    private final InputStream in;
    private byte[] buffer = new byte[1 << 16];
    private int begin;
    private int end;

    Requests(InputStream in) {
        this.in = in;
    }

    /** The next line without its end; null where there is none. */
    String line() throws IOException {
        for (int at = begin; ; at++) {
            if (at == end) {
                at -= begin;
                if (!more()) {
                    return null;
                }
            }
            if (buffer[at] == '\n') {
                String line = new String(buffer, begin, at - begin, StandardCharsets.UTF_8);
                begin = at + 1;
                return line;
            }
        }
    }

    /** Move what is left to the front and read behind it; false where nothing comes. */
    private boolean more() throws IOException {
        end -= begin;
        System.arraycopy(buffer, begin, buffer, 0, end);
        begin = 0;
        if (end == buffer.length) {
            buffer = Arrays.copyOf(buffer, 2 * end);
        }
        int read = in.read(buffer, end, buffer.length - end);
        end += Math.max(0, read);
        return read > 0;
    }
}
