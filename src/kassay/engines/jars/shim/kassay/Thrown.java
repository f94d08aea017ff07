package kassay;

/** What was thrown, as one line for people. */
final class Thrown {
    private static final int LONGEST = 2000;

    private Thrown() {
    }

    /** Its class, its message, and the line of the user's code that it came from. */
    static String shown(Throwable thrown) {
        if (thrown instanceof ExceptionInInitializerError && thrown.getCause() != null) {
            return shown(thrown.getCause());
        }
        String message;
        StackTraceElement[] frames;
        try {
            message = thrown.toString();
            frames = thrown.getStackTrace();
        } catch (Throwable hostile) {
            message = thrown.getClass().getName();
            frames = new StackTraceElement[0];
        }
        if (message.length() > LONGEST) {
            message = message.substring(0, LONGEST);
        }
        return message + place(frames);
    }

    /** The uppermost frame that is neither the JDK's nor ours, in brackets. */
    private static String place(StackTraceElement[] frames) {
        for (StackTraceElement frame : frames) {
            String name = frame.getClassName();
            boolean own = !name.matches("(java|javax|jdk|sun|kassay)\\..*");
            if (own && frame.getFileName() != null) {
                return " (" + frame.getFileName() + ":" + frame.getLineNumber() + ")";
            }
        }
        return "";
    }
}
