package org.apache.kafka.streams.state;

public class HostInfo { }
